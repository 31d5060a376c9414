// What the engine is asked, and what becomes of its answers.

const LIVE_MS = 400; // an engine slower than this gives no live preview

class Proposals {
  constructor(editor) {
    this.editor = editor;
  }

  // The mask at hand is refined, unless `prior` says otherwise (run lengths, or null for none).
  async ask(what, prompts, prior = this.maskAtHand()) {
    const { session } = this.editor;
    if (!prior && !prompts.box && !prompts.points.some(({ isAnimal }) => isAnimal)) {
      this.editor.panel.say("Click the animal first: there is no mask yet to take away from.");
      return;
    }
    const from = performance.now();
    const start = prompts.start ?? session.raster.runs();
    const asked = { ...prompts, start, candidates: [], chosen: -1 };
    const id = session.push(what, new Int32Array(), asked);
    this.editor.changed();
    const answer = await this.answered(session, asked, prior, id);
    if (!answer) return;
    const { candidates, best } = answer;
    if (candidates.length === 0) this.editor.panel.say("The engine found nothing there.");
    else session.amend(rasterOf(candidates[best].counts, ...session.size), { ...asked, candidates, chosen: best });
    this.editor.changed();
    measured("mask proposal", from, { engineMs: answer.engine_ms + answer.encode_ms });
  }

  // As `ask`, but from the mask before the points: what a point has done must go with it.
  askAgain(what, prompts) {
    const { session } = this.editor;
    const start = prompts.start ?? session.raster.runs();
    const isEmpty = start.length < 2;
    if (prompts.points.length || prompts.box) return this.ask(what, prompts, isEmpty ? null : start);
    session.replace(what, rasterOf(start, ...session.size), NO_PROMPTS);
    this.editor.changed();
    return undefined;
  }

  choose(number) {
    const { session } = this.editor;
    const candidate = session?.prompts.candidates[number];
    if (!candidate || number === session.prompts.chosen) return;
    const prompts = { ...session.prompts, chosen: number };
    session.replace("proposal", rasterOf(candidate.counts, ...session.size), prompts);
    this.editor.changed();
  }

  // Nobody waits for the answer any more.
  forget() {
    this.asking?.abort();
  }

  maskAtHand() {
    const { raster } = this.editor.session;
    return raster.isEmpty() ? null : raster.runs();
  }

  // What the engine says, or null if it failed or something else was done meanwhile.
  async answered(session, prompts, prior, id) {
    this.forget();
    const asking = (this.asking = new AbortController());
    this.editor.panel.showBusy("Looking…");
    try {
      const answer = await proposeMasks(session.row, this.question(session, prompts, prior), asking.signal);
      this.engineMs = answer.engine_ms;
      return session.stepId === id ? answer : null;
    } catch (error) {
      if (error.name === "AbortError") return null;
      this.editor.panel.say(error.message, { kind: "problem" });
      if (session.stepId === id) session.forget();
      this.editor.changed();
      return null;
    } finally {
      if (this.asking === asking) {
        this.asking = null;
        this.editor.panel.showBusy("");
      }
    }
  }

  question(session, { points, box }, prior) {
    const [width, height] = session.size;
    return {
      engine: this.editor.data.engine,
      size_hw: [height, width],
      points: points.map(({ x, y }) => [x, y]),
      labels: points.map(({ isAnimal }) => isAnimal),
      box,
      prior,
    };
  }

  // While a key is held: what a click under the pointer would give, one question at a time.
  async preview(isAnimal) {
    const { editor } = this;
    const { session } = editor;
    if (this.isPreviewing || this.asking || !editor.pointer) return;
    const [x, y] = toNative(editor.stage.view, editor.pointer);
    if (!isInside([x, y], session.size)) return;
    if (this.engineMs > LIVE_MS) {
      const seconds = (this.engineMs / 1000).toFixed(1);
      editor.panel.say(`A live preview needs an engine that answers at once; this one took ${seconds} s.`);
      return;
    }
    const points = [...session.prompts.points, { x, y, isAnimal }];
    const asked = this.question(session, { ...session.prompts, points }, this.maskAtHand());
    this.isPreviewing = true;
    try {
      const answer = await proposeMasks(session.row, asked);
      this.engineMs = answer.engine_ms;
      const isWanted = editor.held.has("live") && editor.session === session && !this.asking;
      const best = answer.candidates[answer.best];
      if (isWanted && best) editor.stage.setPreview(rasterOf(best.counts, ...session.size));
    } catch (error) {
      editor.panel.say(error.message, { kind: "problem" });
    } finally {
      this.isPreviewing = false;
    }
  }
}
