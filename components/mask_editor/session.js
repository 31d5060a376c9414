// One row that is edited: its mask, its prompts, and every step that can be taken back. It outlives
// the row's time on the screen, so that steps can be undone after going on and coming back.

const NO_PROMPTS = Object.freeze({ points: [], box: null, start: null, candidates: [], chosen: -1 });

const SAVED = "saved";

class Session {
  // answer: what the server says of the row's mask.
  constructor(row, answer) {
    this.row = row;
    const [height, width] = answer.size_hw;
    this.raster = rasterOf(answer.counts, width, height);
    this.log = new UndoLog();
    this.prompts = NO_PROMPTS;
    this.saved = SAVED; // id of the step that the server has
    this.stepCount = 0;
    this.took(answer);
  }

  get size() {
    return this.raster.size;
  }

  get isDirty() {
    return this.stepId !== this.saved;
  }

  get stepId() {
    return this.log.last?.id ?? SAVED;
  }

  // What the server has now, whoever made it.
  took({ version, status, author = "", created_at = "", source = "", reason = "" }) {
    Object.assign(this, { version, status, author, createdAt: created_at, source, reason });
  }

  // A step whose pixels have been turned over already. Prompts after it are as given.
  push(what, ranges, prompts = this.prompts) {
    this.stepCount += 1;
    const id = `${this.stepCount}-${Math.random().toString(36).slice(2, 8)}`;
    this.log.push({ id, what, ranges, before: this.prompts, after: prompts });
    this.prompts = prompts;
    return id;
  }

  // A stroke by hand. Points stay in sight, but what they found is not gone back to any more.
  pushStroke(what, flips) {
    if (flips.isEmpty) return;
    this.push(what, flips.done(), { ...this.prompts, start: null, candidates: [], chosen: -1 });
  }

  replace(what, raster, prompts = this.prompts) {
    const ranges = flipsBetween(this.raster, raster);
    flip(this.raster, ranges);
    return this.push(what, ranges, prompts);
  }

  // Pixels that answer the prompts of the last step belong to that step.
  amend(raster, prompts) {
    const step = this.log.last;
    flip(this.raster, step.ranges);
    step.ranges = flipsBetween(this.raster, raster);
    flip(this.raster, step.ranges);
    step.after = this.prompts = prompts;
  }

  undo() {
    const step = this.log.back();
    if (!step) return null;
    flip(this.raster, step.ranges);
    this.prompts = step.before;
    return step;
  }

  // The last step has come to nothing, so it is none.
  forget() {
    this.undo();
    this.log.steps.length = this.log.position;
  }

  redo() {
    const step = this.log.forward();
    if (!step) return null;
    flip(this.raster, step.ranges);
    this.prompts = step.after;
    return step;
  }

  // The server has stored what was drawn when `stepId` was the last step.
  wasSaved(stepId, answer) {
    this.saved = stepId;
    this.took({ ...answer, source: "human" });
  }

  // Somebody else's mask, as a step: taking it back returns what was drawn here.
  takeTheirs(answer) {
    const [height, width] = answer.size_hw;
    const id = this.replace("newer version", rasterOf(answer.counts, width, height), NO_PROMPTS);
    this.saved = id;
    this.took(answer);
  }

  // How the mask came about, kept with its version.
  notes(engine) {
    const tools = {};
    for (const step of this.log.steps.slice(0, this.log.position)) {
      tools[step.what] = (tools[step.what] ?? 0) + 1;
    }
    const { points, box } = this.prompts;
    const asked = points.length || box ? { engine, points, box } : {};
    return JSON.stringify({ ...asked, steps: tools });
  }

  // The engine's own score, if the pixels are exactly what it proposed.
  get score() {
    return this.prompts.candidates[this.prompts.chosen]?.score ?? null;
  }

  toDraft() {
    const { row, version, status, log, prompts, saved, stepCount, raster } = this;
    const { steps, position } = log;
    return { row, version, status, steps, position, prompts, saved, stepCount, runs: raster.runs(), size: raster.size };
  }

  // Unsaved work on the version that the server still has, or has had.
  takeDraft({ steps, position, prompts, saved, stepCount, runs, size }) {
    this.raster = rasterOf(runs, ...size);
    this.log = new UndoLog(steps, position);
    Object.assign(this, { prompts, saved, stepCount });
  }
}
