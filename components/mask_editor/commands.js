// Everything the editor can do, with its key: the toolbar, its tooltips, the sheet of keys and the
// keyboard are all made from this list. Keys are letters that AZERTY and QWERTZ have too.

const COMMANDS = [
  { id: "points", key: "p", icon: "ads_click", label: "Points", group: "tool",
    words: "Click the animal to add it; right click or Alt+click to take away. Drag a point to move it, click it to delete it." },
  { id: "box", key: "x", icon: "crop_free", label: "Box", group: "tool",
    words: "Drag a box around the animal: the mask starts anew inside it." },
  { id: "brush", key: "b", icon: "brush", label: "Brush", group: "tool",
    words: "Paint what belongs to the animal. Right button or Alt erases." },
  { id: "eraser", key: "e", icon: "ink_eraser", label: "Eraser", group: "tool",
    words: "Paint away what does not belong to it. Right button or Alt paints." },
  { id: "polygon add", key: "g", icon: "pentagon", label: "Polygon +", group: "tool",
    words: "Click corners; Enter or a click on the first one adds the inside. Backspace takes the last corner back." },
  { id: "polygon subtract", key: "h", icon: "remove_selection", label: "Polygon −", group: "tool",
    words: "The same, but the inside is cut out: holes are made so." },
  { id: "clean", key: "c", icon: "auto_fix_high", label: "Clean up", group: "act",
    words: "Drops islands, fills holes and smooths the edge; shown first, Enter applies." },
  { id: "clear", key: "d", icon: "delete", label: "Clear", group: "act",
    words: "Starts over with an empty mask; Undo brings it back." },
  { id: "undo", key: "z", ctrl: true, icon: "undo", label: "Undo", group: "history",
    words: "Takes the last step on this photo back." },
  { id: "redo", key: "y", ctrl: true, icon: "redo", label: "Redo", group: "history",
    words: "Does it again (also Ctrl+Shift+Z)." },
  { id: "fit", key: "f", icon: "fit_screen", label: "Fit", group: "view",
    words: "Shows the whole photo. The wheel zooms to the pointer; hold Space and drag to move." },
  { id: "outline", key: "o", icon: "select_all", label: "Outline", group: "view",
    words: "Shows the outline alone, or the filled mask." },
  { id: "full", key: "m", icon: "fullscreen", label: "Full screen", group: "view",
    words: "Gives the whole screen to the editor; Esc or the same key goes back." },
  { id: "help", key: "?", icon: "help", label: "Keys", group: "view", words: "Shows this sheet." },
  { id: "previous", key: "ArrowLeft", shown: "←", icon: "chevron_left", label: "Previous", group: "review",
    words: "Saves and goes to the photo before." },
  { id: "reject", key: "r", icon: "close", label: "Reject", group: "review",
    words: "Says that this mask must not be used, and why." },
  { id: "skip", key: "s", icon: "redo", label: "Skip", group: "review",
    words: "Goes on without a decision; what you drew is saved as a proposal." },
  { id: "accept", key: "a", icon: "check", label: "Accept", group: "review", isPrimary: true,
    words: "Saves the mask as right and goes on: audits use it from now on." },
  { id: "next", key: "ArrowRight", shown: "→", icon: "chevron_right", label: "Next", group: "review",
    words: "Saves and goes to the photo after." },
];

// Keys without a button.
const FURTHER_KEYS = [
  ["Q, W", "Smaller and larger brush; so does Shift with the wheel."],
  ["1, 2, 3", "Choose among the engine's proposals."],
  ["L (hold)", "Live preview of a click under the pointer, where the engine is fast enough."],
  ["T (hold)", "Hides the mask."],
  ["Space (hold)", "Drag moves the photo; so does the middle button."],
  ["+, −", "Zoom."],
  ["Delete", "Deletes the point under the pointer, the box, or a polygon's last corner."],
  ["Enter, Esc", "Finish or give up what is begun."],
  ["Ctrl+S", "Saves without going on."],
];

const HELD_KEYS = { " ": "pan", l: "live", t: "hide" };

function keyOf(command) {
  const key = command.shown ?? command.key.toUpperCase();
  return command.ctrl ? `Ctrl+${key}` : key;
}

// The command of a key event, or undefined. Letters are taken as they are written on the key, so
// that they are found on any layout.
function commandOf(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const isCtrl = event.ctrlKey || event.metaKey;
  if (isCtrl && key === "z") return event.shiftKey ? "redo" : "undo";
  if (isCtrl && key === "s") return "save";
  if (event.altKey) return undefined;
  return COMMANDS.find((command) => command.key === key && Boolean(command.ctrl) === isCtrl)?.id;
}

// 1 to 3 of the upper row or the number pad; on AZERTY the upper row writes digits with Shift only.
function candidateOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1] ?? (/^[1-9]$/.test(event.key) ? event.key : undefined);
  return digit && Number(digit) - 1;
}

function made(tag, className = "", text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

function commandButton(command) {
  const button = made("button", command.isPrimary ? "primary" : "");
  button.type = "button";
  button.dataset.do = command.id;
  button.title = `${command.label} (${keyOf(command)}): ${command.words}`;
  const icon = made("span", "icon", command.icon);
  icon.setAttribute("aria-hidden", "true");
  button.setAttribute("aria-label", command.label);
  button.append(icon);
  if (["tool", "act", "review"].includes(command.group)) {
    button.append(made("span", "label", command.label), made("kbd", "", keyOf(command)));
  }
  return button;
}

function buildToolbar(toolbar, review) {
  let group = "";
  for (const command of COMMANDS) {
    if (command.group === "review") {
      review.append(commandButton(command));
      continue;
    }
    if (group && group !== command.group) toolbar.append(made("span", "gap"));
    group = command.group;
    toolbar.append(commandButton(command));
  }
}

function buildSheet(sheet) {
  const list = made("dl");
  const add = (key, words) => list.append(made("dt", "", key), made("dd", "", words));
  for (const command of COMMANDS) add(keyOf(command), `${command.label}: ${command.words}`);
  for (const [key, words] of FURTHER_KEYS) add(key, words);
  const close = made("button", "primary", "Close");
  close.type = "button";
  close.dataset.do = "help";
  sheet.append(made("h3", "", "Making a mask"), list, close);
}
