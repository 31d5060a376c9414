// The mask editor: one photo at a time, its tools, and where to go next. It follows the other
// scripts of this folder in one module.

class Editor {
  constructor(parent) {
    this.root = parent.querySelector(".editor");
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.session = null;
    this.pointer = null; // its place on the stage
    this.held = new Set(); // of "pan", "live", "hide"
    this.tools = {
      points: new PointTool(this),
      box: new BoxTool(this),
      brush: new BrushTool(this, "brush"),
      eraser: new BrushTool(this, "eraser"),
      "polygon add": new PolygonTool(this, "polygon add"),
      "polygon subtract": new PolygonTool(this, "polygon subtract"),
    };
    this.stage = new Stage(this.root, signal);
    this.stage.onMarks = (pen, toStagePlace) => drawTool(pen, this, toStagePlace);
    this.strip = new Strip(this.root);
    this.panel = new Panel(this.root, this, signal);
    this.proposals = new Proposals(this);
    this.cleaning = new Cleaning(this);
    this.journey = new Journey(this);
    this.pointing = new Pointer(this, signal);
    this.keyboard = new Keyboard(this, signal);
    this.take("points");
  }

  destroy() {
    this.journey.saveAndEnd();
    this.abort.abort();
  }

  update(data, setStateValue) {
    this.setStateValue = setStateValue;
    const isFirst = this.data === undefined;
    this.data = data;
    if (isFirst) this.panel.showLooks();
    this.panel.button("reject").hidden = data.audit !== ""; // in a blind audit there is nothing to reject
    this.lookChanged();
    this.strip.setColours(data.views);
    this.showTheme();
    this.journey.follow(data);
  }

  get brushPx() {
    return Number(this.panel.values.brush);
  }

  // ---- the photo ----

  // What belongs to the photo at hand ends with it.
  leave() {
    this.proposals.forget();
    this.cleaning.cancel();
    this.panel.closeReasons();
    this.panel.say("");
  }

  // image: the photo, or the error that it could not be loaded for.
  show(info, { session, note, isWarning }, image) {
    this.tool.cancel();
    this.session = session;
    const photo = image instanceof Error ? null : image;
    this.stage.show(session, photo);
    this.strip.show(session, photo);
    this.panel.showTitle(info);
    this.root.dataset.row = info.row;
    this.changed();
    if (!photo) this.panel.say(image.message, { kind: "problem" });
    else if (note) this.panel.say(note, { kind: isWarning ? "warning" : "info" });
  }

  showNothing(info) {
    this.session = null;
    this.stage.show(null, null);
    this.strip.show(null, null);
    this.panel.showTitle(info);
  }

  // ---- steps ----

  pushStroke(what, flips) {
    this.session.pushStroke(what, flips);
    this.changed();
  }

  // After any step: everything that shows the mask, and the draft.
  changed() {
    this.stage.changed("mask", "marks");
    this.maskMoved();
    if (!this.session) return;
    this.panel.showSession(this.session);
    this.journey.desk.keep(this.session);
  }

  maskMoved() {
    this.strip.changed();
  }

  step(direction) {
    this.proposals.forget();
    this.cleaning.cancel();
    this.tool.cancel();
    if (this.session[direction]()) this.changed();
  }

  clear() {
    const { session } = this;
    if (session.raster.isEmpty() && session.prompts === NO_PROMPTS) return;
    session.replace("clear", new Raster(...session.size), NO_PROMPTS);
    this.changed();
  }

  // ---- commands ----

  run(command) {
    if (command === "help") this.panel.toggleSheet();
    else if (command === "full") this.toggleFullScreen();
    else if (command === "cancel") this.escape();
    else if (command === "outline") this.panel.set("outline", !this.panel.values.outline);
    else if (this.tools[command]) this.take(command);
    else if (this.session) this.runOnPhoto(command);
  }

  runOnPhoto(command) {
    const commands = {
      clean: () => this.cleaning.propose(),
      clear: () => this.clear(),
      undo: () => this.step("undo"),
      redo: () => this.step("redo"),
      fit: () => this.stage.fit(),
      save: () => this.journey.save(),
      finish: () => this.finish(),
      previous: () => this.journey.previous(),
      next: () => this.journey.next(),
      skip: () => this.journey.skip(),
      accept: () => this.journey.review("accepted"),
      reject: () => this.data.audit || this.panel.askReason(),
    };
    commands[command]();
  }

  // Where a browser refuses, as in some frames, the editor stays as it is.
  toggleFullScreen() {
    if (this.root.matches(":fullscreen")) document.exitFullscreen();
    else this.root.requestFullscreen?.().catch(() => undefined);
  }

  // Whoever goes on by keys sees what there is to decide about.
  reveal() {
    const bottom = this.root.querySelector(".review").getBoundingClientRect().bottom;
    const head = this.root.querySelector(".head");
    const isInSight = head.getBoundingClientRect().top >= 0 && bottom <= window.innerHeight;
    if (!isInSight) head.scrollIntoView({ block: "start", behavior: "instant" });
  }

  take(tool) {
    this.tool?.cancel();
    this.tool = this.tools[tool];
    this.panel.showTool(tool);
    this.pointing.shown();
  }

  // True if there was something to finish.
  finish() {
    return this.cleaning.apply() || (this.tool.finish?.() ?? false);
  }

  // True if there was something to delete.
  erase() {
    const wasThere = this.session && (this.tool.erase?.() ?? false);
    this.pointing.shown();
    return wasThere;
  }

  // True if there was something to give up.
  escape() {
    if (this.panel.sheet.open) return false; // the browser closes it
    const isHolding = Boolean(this.tool.held || this.tool.corners?.length);
    this.tool.cancel();
    this.pointing.shown();
    return [this.panel.closeReasons(), this.cleaning.cancel(), isHolding].includes(true);
  }

  hold(what) {
    if (this.held.has(what)) return;
    this.held.add(what);
    this.heldChanged();
  }

  // No name lets go of all.
  letGo(what) {
    if (what) this.held.delete(what);
    else this.held.clear();
    this.heldChanged();
  }

  heldChanged() {
    this.stage.setHidden(this.held.has("hide"));
    if (!this.held.has("live") && !this.cleaning.result) this.stage.setPreview(null);
    this.pointing.shown();
  }

  pointerMoved(event) {
    if (this.held.has("live")) this.proposals.preview(!event.altKey);
  }

  resizeBrush(factor) {
    const wanted = Math.round(this.brushPx * factor + Math.sign(factor - 1) * 0.5);
    this.panel.set("brush", clamp(wanted, 2, 160));
    this.pointing.shown();
  }

  // What the browser draws itself, such as boxes to tick, follows the page's theme.
  showTheme() {
    const background = getComputedStyle(this.root).getPropertyValue("--st-background-color").trim();
    const isDark = /^#[0-9a-f]{6}$/i.test(background) && Math.max(...rgbOf(background)) < 128;
    this.root.style.colorScheme = isDark ? "dark" : "light";
  }

  lookChanged() {
    const { outline, opacity, brightness, contrast, colour } = this.panel.values;
    const { colours } = this.data;
    this.stage.look = { ...colours, mask: colour || colours.mask, opacity: outline ? 0 : opacity / 100 };
    this.stage.canvases[0].style.filter = `brightness(${brightness}%) contrast(${contrast}%)`;
    this.stage.changed("mask", "marks");
  }
}

// Streamlit calls this for every new value of `data`. What it returns is called when the component
// leaves the page, but at once too if a still newer value came in the meantime: then it stays.
const editors = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  if (!editors.has(parentElement)) editors.set(parentElement, new Editor(parentElement));
  const editor = editors.get(parentElement);
  editor.update(data, setStateValue);
  return () =>
    setTimeout(() => {
      if (parentElement.isConnected) return;
      editor.destroy();
      editors.delete(parentElement);
    });
}
