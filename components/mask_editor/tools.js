// What the pointer does. Each tool hears pointer events with the native place and the place on the
// stage in CSS pixels, and draws what it holds. `editor` gives session, stage and look.

const isOpposite = (event) => event.button === 2 || event.altKey;

class PointTool {
  constructor(editor) {
    this.editor = editor;
    this.hovered = -1;
  }

  down(event, native, place) {
    const { session } = this.editor;
    this.hovered = this.near(place);
    if (this.hovered >= 0 && isOpposite(event)) this.remove();
    else if (this.hovered >= 0) this.held = { index: this.hovered, from: place, native: null };
    else if (isInside(native, session.size)) this.add(native, !isOpposite(event));
  }

  move(event, native, place) {
    const { held } = this;
    if (!held) {
      this.hovered = this.near(place);
      return;
    }
    if (held.native || distance(place, held.from) > 3) {
      held.native = insideCrop(native, this.editor.session.size);
    }
  }

  // A point that was not moved is one that was clicked away.
  up() {
    const { held } = this;
    this.held = null;
    if (!held) return;
    if (held.native) this.change("move point", (points) => points.with(held.index, this.moved(held)));
    else this.remove();
  }

  moved({ index, native: [x, y] }) {
    return { ...this.editor.session.prompts.points[index], x, y };
  }

  add([x, y], isAnimal) {
    const { prompts } = this.editor.session;
    const points = [...prompts.points, { x, y, isAnimal }];
    this.editor.proposals.ask(isAnimal ? "add point" : "remove point", { ...prompts, points });
  }

  remove() {
    const index = this.hovered;
    this.hovered = -1;
    this.change("delete point", (points) => points.toSpliced(index, 1));
  }

  // What the old place has added must not stay, so the mask starts once more from before the points.
  change(what, changed) {
    const { prompts } = this.editor.session;
    this.editor.proposals.askAgain(what, { ...prompts, points: changed(prompts.points) });
  }

  // Deletes the point under the pointer; false if there is none.
  erase() {
    if (this.hovered < 0) return false;
    this.remove();
    return true;
  }

  cancel() {
    this.held = null;
  }

  near(place) {
    const { session, stage } = this.editor;
    const gaps = session.prompts.points.map(({ x, y }) => distance(toStage(stage.view, [x, y]), place));
    const nearest = gaps.indexOf(Math.min(...gaps));
    return gaps[nearest] <= GRAB_PX ? nearest : -1;
  }

  get cursor() {
    return this.hovered >= 0 ? "pointer" : "crosshair";
  }
}

class BoxTool {
  constructor(editor) {
    this.editor = editor;
  }

  down(event, native, place) {
    const { session } = this.editor;
    const at = insideCrop(native, session.size);
    this.held = { anchor: this.anchor(place) ?? at, to: at };
  }

  move(event, native) {
    if (this.held) this.held.to = insideCrop(native, this.editor.session.size);
  }

  up() {
    const box = this.box;
    this.held = null;
    const least = 4 / this.editor.stage.view.scale;
    if (!box || box[2] - box[0] < least || box[3] - box[1] < least) return;
    const { prompts } = this.editor.session;
    // A box says where the animal is, whatever the mask was before.
    this.editor.proposals.ask("box", { ...prompts, box }, null);
  }

  // The corner opposite to the one that is taken hold of.
  anchor(place) {
    const box = this.editor.session.prompts.box;
    if (!box) return undefined;
    const [left, top, right, bottom] = box;
    const corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
    const near = (corner) => distance(toStage(this.editor.stage.view, corner), place) <= GRAB_PX;
    const found = corners.findIndex(near);
    return found < 0 ? undefined : corners[(found + 2) % 4];
  }

  get box() {
    if (!this.held) return null;
    const { anchor, to } = this.held;
    return [
      Math.min(anchor[0], to[0]),
      Math.min(anchor[1], to[1]),
      Math.max(anchor[0], to[0]),
      Math.max(anchor[1], to[1]),
    ];
  }

  erase() {
    const { prompts } = this.editor.session;
    if (!prompts.box) return false;
    this.editor.proposals.askAgain("delete box", { ...prompts, box: null });
    return true;
  }

  cancel() {
    this.held = null;
  }

  get cursor() {
    return "crosshair";
  }
}

class BrushTool {
  // what: "brush" or "eraser".
  constructor(editor, what) {
    this.editor = editor;
    this.what = what;
  }

  down(event, native) {
    const erases = (this.what === "eraser") !== isOpposite(event);
    this.held = { what: erases ? "eraser" : "brush", value: erases ? 0 : 1, flips: new Flips(), at: native };
    this.stroke(native);
  }

  move(event, native) {
    if (!this.held) return;
    const events = event.getCoalescedEvents?.() ?? [];
    for (const each of events.length ? events : [event]) this.stroke(this.editor.stage.native(each));
  }

  stroke(to) {
    const { stage, session } = this.editor;
    const { at, value, flips } = this.held;
    paintStroke(session.raster, at, to, this.radius, value, flips);
    this.held.at = to;
    const reach = this.radius + 1;
    const [left, right] = [Math.min(at[0], to[0]) - reach, Math.max(at[0], to[0]) + reach];
    stage.maskChanged(left, Math.min(at[1], to[1]) - reach, right, Math.max(at[1], to[1]) + reach);
    this.editor.maskMoved();
  }

  up() {
    const { held } = this;
    this.held = null;
    if (held) this.editor.pushStroke(held.what, held.flips);
  }

  // A stroke that cannot end is taken back.
  cancel() {
    if (!this.held) return;
    flip(this.editor.session.raster, this.held.flips.done());
    this.held = null;
    this.editor.changed();
  }

  get radius() {
    return this.editor.brushPx / 2 / this.editor.stage.view.scale;
  }

  get cursor() {
    return "none";
  }
}

class PolygonTool {
  // what: "polygon add" or "polygon subtract".
  constructor(editor, what) {
    this.editor = editor;
    this.what = what;
    this.corners = [];
  }

  down(event, native, place) {
    const { session, stage } = this.editor;
    const first = this.corners[0];
    const closes = this.corners.length >= 3 && distance(toStage(stage.view, first), place) <= GRAB_PX;
    if (event.button === 2) this.erase();
    else if (closes) this.finish();
    else this.corners.push(insideCrop(native, session.size));
  }

  move(event, native) {
    this.pointer = insideCrop(native, this.editor.session.size);
  }

  up() {}

  // Covers what the corners enclose; false if they enclose nothing yet.
  finish() {
    if (this.corners.length < 3) return false;
    const flips = new Flips();
    paintPolygon(this.editor.session.raster, this.corners, this.what === "polygon add" ? 1 : 0, flips);
    this.corners = [];
    this.editor.pushStroke(this.what, flips);
    return true;
  }

  erase() {
    return this.corners.pop() !== undefined;
  }

  cancel() {
    this.corners = [];
  }

  get cursor() {
    return "crosshair";
  }
}
