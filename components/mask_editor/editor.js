// The mask editor: one photo at a time, its tools, and where to go next. It follows the other
// scripts of this folder in one module.

const LIVE_MS = 400; // an engine slower than this gives no live preview

class Editor {
  constructor(parent) {
    this.root = parent.querySelector(".editor");
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.session = null;
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
    this.pointing = new Pointer(this, signal);
    this.keyboard = new Keyboard(this, signal);
    this.eventCount = 0;
    this.name = Date.now().toString(36) + Math.random().toString(36).slice(2);
    this.take("points");
  }

  // Whoever leaves the page has not lost what was drawn.
  destroy() {
    if (this.session) this.desk.save(this.session, this.signed()).catch(() => undefined);
    this.abort.abort();
  }

  update(data, setStateValue) {
    this.setStateValue = setStateValue;
    const isFirst = this.data === undefined;
    // Of a run of the page that has not heard of the last event, the row is an old one.
    if (!isFirst && data.seen !== this.lastEventId) return;
    this.data = data;
    if (isFirst) {
      this.desk = new Desk(data.workspace);
      this.panel.showLooks();
    }
    this.lookChanged();
    this.ahead = data.ahead;
    this.behind = data.behind;
    this.showNeighbours();
    if (data.row.row !== this.info?.row) this.sentTo(data.row);
    else this.panel.showTitle((this.info = data.row));
  }

  get colours() {
    return { ...this.data.colours, mask: this.panel.values.colour || this.data.colours.mask };
  }

  get look() {
    return this.stage.look;
  }

  get brushPx() {
    return Number(this.panel.values.brush);
  }

  // ---- going from photo to photo ----

  async open(info) {
    this.info = info;
    this.asking?.abort();
    this.cancelCleaning();
    const opening = (this.opening = {});
    this.panel.say("");
    const picture = this.desk.picture(info.row).catch((error) => error);
    let opened;
    try {
      opened = await this.desk.open(info.row);
    } catch (error) {
      if (this.opening === opening) this.cannotOpen(info, error);
      return;
    }
    const image = await picture;
    if (this.opening !== opening || this.abort.signal.aborted) return;
    this.show(info, opened, image);
  }

  // The page shows another photo, whatever the editor would have done.
  sentTo(info) {
    const [session, from] = [this.session, this.info];
    if (session) {
      this.desk.save(session, this.signed()).catch((error) => {
        const choices = { "Go back to it": () => this.sentTo(from) };
        this.panel.say(`${from.title} could not be saved. ${error.message}`, { kind: "problem", choices });
      });
    }
    this.open(info);
  }

  show(info, { session, note }, image) {
    this.tool.cancel();
    this.session = session;
    this.image = image instanceof Error ? null : image;
    this.stage.show(session, this.image);
    this.strip.show(session, this.image, this.data.views);
    this.panel.showTitle(info);
    this.root.dataset.row = info.row;
    this.changed();
    if (image instanceof Error) this.panel.say(image.message, { kind: "problem" });
    else if (note) this.panel.say(note, { kind: note.includes("saved version") ? "warning" : "info" });
    this.desk.prefetch([...this.ahead, ...this.behind.slice(0, 1)].map(({ row }) => row), this.data.engine);
  }

  cannotOpen(info, error) {
    this.session = null;
    this.stage.show(null, null);
    this.strip.show(null, null, this.data.views);
    this.panel.showTitle(info);
    this.panel.say(error.message, { kind: "problem", choices: { "Try again": () => this.open(info) } });
  }

  showNeighbours() {
    this.panel.button("previous").disabled = this.behind.length === 0;
    this.panel.button("next").disabled = this.ahead.length === 0;
  }

  // Saves, then shows another photo at once; Python is told, and decides what comes after it.
  async go(kind, to, wanted = {}) {
    const { session } = this;
    if (!session || this.isGoing) return;
    this.isGoing = true;
    try {
      await this.desk.save(session, { ...this.signed(), ...wanted });
    } catch (error) {
      this.cannotSave(error, session, () => this.go(kind, to, wanted));
      return;
    } finally {
      this.isGoing = false;
    }
    this.changed();
    this.tell(kind, { to: to?.row ?? null });
    if (!to) return;
    const from = this.info;
    if (to === this.ahead[0]) [this.ahead, this.behind] = [this.ahead.slice(1), [from, ...this.behind]];
    else if (to === this.behind[0]) [this.ahead, this.behind] = [[from, ...this.ahead], this.behind.slice(1)];
    this.showNeighbours();
    await this.open(to);
  }

  tell(kind, more = {}) {
    const { row, version, status } = this.session;
    this.eventCount += 1;
    this.lastEventId = `${this.name}-${this.eventCount}`;
    this.setStateValue("event", { id: this.lastEventId, kind, row, version, status, ...more });
  }

  review(status, reason = "") {
    const isEmpty = this.session?.raster.isEmpty();
    if (status === "accepted" && isEmpty) {
      this.panel.say("An empty mask hides nothing, so it cannot be accepted. Draw the animal first, or reject the photo and say why.", { kind: "problem" });
      return undefined;
    }
    const to = this.data.advances ? this.ahead[0] : undefined;
    return this.go("reviewed", to, { status, reason });
  }

  async save() {
    const { session } = this;
    if (!session) return;
    try {
      await this.desk.save(session, this.signed());
    } catch (error) {
      this.cannotSave(error, session, () => this.save());
      return;
    }
    this.changed();
    this.tell("saved", { to: session.row });
  }

  signed() {
    return { author: this.data.author, engine: this.data.engine };
  }

  // Nothing is lost: the strokes stay here and in the browser until somebody decides.
  cannotSave(error, session, again) {
    if (error.status !== 409) {
      this.panel.say(error.message, { kind: "problem", choices: { "Try again": again } });
      return;
    }
    const mine = () => {
      session.version = error.details.version;
      again();
    };
    const theirs = async () => {
      session.takeTheirs(await currentMask(session.row));
      this.desk.keep(session);
      this.changed();
      this.panel.say("This is the newer mask. Undo brings yours back.");
    };
    this.panel.say(error.message, {
      kind: "warning",
      choices: { "Save mine as the newest": mine, "Show the newer one": theirs },
    });
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
    this.desk.keep(this.session);
  }

  maskMoved() {
    this.strip.changed();
  }

  step(direction) {
    this.asking?.abort();
    this.cancelCleaning();
    this.tool.cancel();
    if (this.session[direction]()) this.changed();
  }

  clear() {
    const { session } = this;
    if (session.raster.isEmpty() && session.prompts === NO_PROMPTS) return;
    session.replace("clear", new Raster(...session.size), NO_PROMPTS);
    this.changed();
  }

  // ---- engine ----

  // The mask at hand is refined, unless `prior` says otherwise (run lengths, or null for none).
  async ask(what, prompts, prior = this.session.raster.isEmpty() ? null : this.session.raster.runs()) {
    const { session } = this;
    if (!prior && !prompts.box && !prompts.points.some(({ isAnimal }) => isAnimal)) {
      this.panel.say("Click the animal first: there is no mask yet to take away from.");
      return;
    }
    const start = prompts.start ?? session.raster.runs();
    const asked = { ...prompts, start, candidates: [], chosen: -1 };
    const id = session.push(what, new Int32Array(), asked);
    this.changed();
    const answer = await this.answered(session, asked, prior, id);
    if (!answer) return;
    const { candidates, best } = answer;
    if (candidates.length === 0) this.panel.say("The engine found nothing there.");
    else session.amend(rasterOf(candidates[best].counts, ...session.size), { ...asked, candidates, chosen: best });
    this.changed();
  }

  // As `ask`, but from the mask before the points: what a point has done must go with it.
  askAgain(what, prompts) {
    const { session } = this;
    const start = prompts.start ?? session.raster.runs();
    const isEmpty = start.length < 2;
    if (prompts.points.length || prompts.box) return this.ask(what, prompts, isEmpty ? null : start);
    session.replace(what, rasterOf(start, ...session.size), NO_PROMPTS);
    this.changed();
    return undefined;
  }

  // What the engine says, or null if it failed or nobody waits for it any more.
  async answered(session, prompts, prior, id) {
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    this.panel.showBusy("Looking…");
    try {
      const answer = await proposeMasks(session.row, this.question(session, prompts, prior), asking.signal);
      this.engineMs = answer.engine_ms;
      return session.stepId === id ? answer : null;
    } catch (error) {
      if (error.name === "AbortError") return null;
      this.panel.say(error.message, { kind: "problem" });
      if (session.stepId === id) session.forget();
      this.changed();
      return null;
    } finally {
      if (this.asking === asking) {
        this.asking = null;
        this.panel.showBusy("");
      }
    }
  }

  question(session, { points, box }, prior) {
    const [width, height] = session.size;
    return {
      engine: this.data.engine,
      size_hw: [height, width],
      points: points.map(({ x, y }) => [x, y]),
      labels: points.map(({ isAnimal }) => isAnimal),
      box,
      prior,
    };
  }

  choose(number) {
    const { session } = this;
    const candidate = session?.prompts.candidates[number];
    if (!candidate || number === session.prompts.chosen) return;
    const prompts = { ...session.prompts, chosen: number };
    session.replace("proposal", rasterOf(candidate.counts, ...session.size), prompts);
    this.changed();
  }

  // ---- live preview ----

  async pointerMoved(event) {
    if (!this.held.has("live") || this.isPreviewing || this.asking || !this.pointer) return;
    const { session } = this;
    const [x, y] = toNative(this.stage.view, this.pointer);
    if (!isInside([x, y], session.size)) return;
    if (this.engineMs > LIVE_MS) {
      const seconds = (this.engineMs / 1000).toFixed(1);
      this.panel.say(`A live preview is for engines that answer at once; this one took ${seconds} s.`);
      return;
    }
    this.isPreviewing = true;
    const points = [...session.prompts.points, { x, y, isAnimal: !event.altKey }];
    const prior = session.raster.isEmpty() ? null : session.raster.runs();
    try {
      const answer = await proposeMasks(session.row, this.question(session, { ...session.prompts, points }, prior));
      this.engineMs = answer.engine_ms;
      const isWanted = this.held.has("live") && this.session === session && !this.asking;
      if (isWanted && answer.candidates.length) {
        this.setPreview(rasterOf(answer.candidates[answer.best].counts, ...session.size));
      }
    } catch (error) {
      this.panel.say(error.message, { kind: "problem" });
    } finally {
      this.isPreviewing = false;
    }
  }

  setPreview(raster) {
    this.stage.preview = raster;
    this.stage.changed("mask");
  }

  // ---- clean-up ----

  async clean() {
    const { session } = this;
    if (session.raster.isEmpty()) {
      this.panel.say("There is no mask to clean up yet.");
      return;
    }
    const { stepId } = session;
    try {
      const [width, height] = session.size;
      const answer = await cleanedMask(session.row, { size_hw: [height, width], counts: session.raster.runs() });
      if (this.session !== session || session.stepId !== stepId) return;
      this.cleaned = rasterOf(answer.counts, width, height);
      this.setPreview(this.cleaned);
      this.panel.showCleaning(answer.words);
    } catch (error) {
      this.panel.say(error.message, { kind: "problem" });
    }
  }

  cancelCleaning() {
    const wasOpen = Boolean(this.cleaned);
    this.cleaned = null;
    this.panel.showCleaning("");
    this.setPreview(null);
    return wasOpen;
  }

  applyCleaning() {
    const { cleaned, session } = this;
    this.cancelCleaning();
    session.replace("clean up", cleaned, { ...session.prompts, start: null, candidates: [], chosen: -1 });
    this.changed();
  }

  // ---- commands ----

  run(command) {
    if (command === "help") this.panel.toggleSheet();
    else if (command === "cancel") this.escape();
    else if (command === "outline") this.panel.set("outline", !this.panel.values.outline);
    else if (this.tools[command]) this.take(command);
    else if (this.session) this.runOnPhoto(command);
  }

  runOnPhoto(command) {
    const commands = {
      clean: () => this.clean(),
      clear: () => this.clear(),
      undo: () => this.step("undo"),
      redo: () => this.step("redo"),
      fit: () => this.stage.fit(),
      save: () => this.save(),
      finish: () => this.finish(),
      previous: () => this.behind.length && this.go("go", this.behind[0]),
      next: () => this.ahead.length && this.go("go", this.ahead[0]),
      skip: () => this.go("skipped", this.ahead[0]),
      accept: () => this.review("accepted"),
      reject: () => this.panel.askReason(),
    };
    commands[command]();
  }

  take(tool) {
    this.tool?.cancel();
    this.tool = this.tools[tool];
    this.panel.showTool(tool);
    this.pointing.shown();
  }

  // True if there was something to finish.
  finish() {
    if (this.cleaned) this.applyCleaning();
    else return this.tool.finish?.() ?? false;
    return true;
  }

  erase() {
    const wasThere = this.session && (this.tool.erase?.() ?? false);
    this.pointing.shown();
    return wasThere;
  }

  // True if there was something to give up.
  escape() {
    const closed = this.panel.closeReasons();
    const cancelled = this.cancelCleaning();
    if (this.panel.sheet.open) return false; // the browser closes it
    const isHolding = Boolean(this.tool.held || this.tool.corners?.length);
    this.tool.cancel();
    this.pointing.shown();
    return closed || cancelled || isHolding;
  }

  hold(what) {
    if (this.held.has(what)) return;
    this.held.add(what);
    if (what === "hide") this.showMask();
    this.pointing.shown();
  }

  letGo(what) {
    if (what) this.held.delete(what);
    else this.held.clear();
    if (!this.held.has("live") && !this.cleaned) this.setPreview(null);
    this.showMask();
    this.pointing.shown();
  }

  showMask() {
    this.stage.isMaskHidden = this.held.has("hide");
    this.stage.changed("mask");
  }

  resizeBrush(factor) {
    const wanted = Math.round(this.brushPx * factor + Math.sign(factor - 1) * 0.5);
    this.panel.set("brush", clamp(wanted, 2, 160));
    this.pointing.shown();
  }

  lookChanged() {
    const { outline, opacity, brightness, contrast } = this.panel.values;
    this.stage.look = { ...this.colours, opacity: outline ? 0 : opacity / 100 };
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
