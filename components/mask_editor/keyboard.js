// Keys, wherever the focus is, unless something is being typed.

class Keyboard {
  constructor(editor, signal) {
    this.editor = editor;
    const capture = { signal, capture: true }; // before Streamlit's own keys
    window.addEventListener("keydown", (event) => this.down(event), capture);
    window.addEventListener("keyup", (event) => this.up(event), capture);
    window.addEventListener("blur", () => this.editor.letGo(), { signal });
  }

  isOurs(event) {
    const { root } = this.editor;
    const [target] = event.composedPath();
    const isTyping = target.matches?.("input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]");
    // Enter and Space belong to a button that has the focus; arrows to a slider.
    const presses = [" ", "Enter"].includes(event.key) && target.matches?.("button, a, [role=button]");
    const slides = event.key.startsWith("Arrow") && target.matches?.("input, [role]:not([role=group])");
    return root.isConnected && root.clientWidth > 0 && !isTyping && !presses && !slides;
  }

  down(event) {
    if (event.key === "Escape" && this.editor.escape()) {
      event.stopPropagation();
      return;
    }
    if (!this.isOurs(event) || !this.does(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // True if the key means something here.
  does(event) {
    const { editor } = this;
    const candidate = candidateOf(event);
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const held = isPlain && HELD_KEYS[event.key.toLowerCase()];
    if (candidate !== undefined) editor.proposals.choose(candidate);
    else if (held) editor.hold(held);
    else if (isPlain && PLAIN_KEYS[event.key]) return PLAIN_KEYS[event.key](editor);
    else if (commandOf(event)) editor.run(commandOf(event));
    else return false;
    return true;
  }

  up(event) {
    const held = HELD_KEYS[event.key.toLowerCase()];
    if (held) this.editor.letGo(held);
  }
}

const PLAIN_KEYS = {
  "+": (editor) => (editor.stage.zoom(1.5), true),
  "=": (editor) => (editor.stage.zoom(1.5), true),
  "-": (editor) => (editor.stage.zoom(1 / 1.5), true),
  q: (editor) => (editor.resizeBrush(1 / 1.2), true),
  w: (editor) => (editor.resizeBrush(1.2), true),
  Enter: (editor) => editor.finish(),
  Delete: (editor) => editor.erase(),
  Backspace: (editor) => editor.erase(),
};
