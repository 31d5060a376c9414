// Pointer, wheel and held keys on the stage: what the tool hears, and what moves the view.

class Pointer {
  constructor(editor, signal) {
    Object.assign(this, { editor, stage: editor.stage });
    // The topmost canvas alone: forms and messages over the picture have their own clicks.
    this.canvas = this.stage.marks.canvas;
    const on = (type, handle, more = {}) =>
      this.canvas.addEventListener(type, (event) => editor.session && handle(event), { signal, ...more });
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", () => this.lost());
    on("lostpointercapture", () => this.lost());
    on("pointerleave", () => this.left());
    on("wheel", (event) => this.wheel(event), { passive: false });
    on("contextmenu", (event) => event.preventDefault());
  }

  down(event) {
    if (this.isDown) return;
    this.isDown = true;
    this.place = placeOf(event, this.stage.box);
    this.canvas.setPointerCapture(event.pointerId);
    this.editor.root.focus({ preventScroll: true });
    event.preventDefault();
    this.pans = this.editor.held.has("pan") || event.button === 1;
    if (!this.pans) this.editor.tool.down(event, this.stage.native(event), this.place);
    this.shown();
  }

  move(event) {
    const place = placeOf(event, this.stage.box);
    this.editor.pointer = place;
    if (this.isDown && this.pans) {
      this.stage.pan([place[0] - this.place[0], place[1] - this.place[1]]);
    } else this.editor.tool.move(event, this.stage.native(event), place);
    this.place = place;
    this.editor.pointerMoved(event);
    this.shown();
  }

  up(event) {
    if (!this.isDown) return;
    this.isDown = false;
    if (!this.pans) this.editor.tool.up(event, this.stage.native(event));
    this.pans = false;
    this.shown();
  }

  lost() {
    if (!this.isDown) return;
    this.isDown = this.pans = false;
    this.editor.tool.cancel();
    this.shown();
  }

  left() {
    this.editor.pointer = null;
    this.shown();
  }

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 24 : 1;
    const by = (event.deltaY || event.deltaX) * lines; // with Shift, some systems turn it sideways
    if (event.shiftKey) this.editor.resizeBrush(Math.exp(-by * 0.0015));
    else this.stage.zoom(Math.exp(-by * 0.0015), placeOf(event, this.stage.box));
  }

  shown() {
    const { editor, stage } = this;
    const isPanning = editor.held.has("pan") || this.pans;
    this.canvas.style.cursor = isPanning ? "grab" : editor.tool.cursor;
    stage.changed("marks");
  }
}
