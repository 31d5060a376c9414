// Going from photo to photo, saving on the way, and telling Python of it.

class Journey {
  constructor(editor) {
    this.editor = editor;
    this.name = Date.now().toString(36) + Math.random().toString(36).slice(2);
    this.eventCount = 0;
  }

  // A row of the page, and its neighbours; rows of a page that has not heard of the last event yet
  // are old ones.
  follow(data) {
    if (!this.desk) {
      this.desk = new Desk(data.workspace, data.audit);
      this.lastEventId = data.seen; // what another editor of this page has told is no news
    } else if (data.seen !== this.lastEventId) return;
    [this.ahead, this.behind] = [data.ahead, data.behind];
    this.showNeighbours();
    const { session, panel } = this.editor;
    if (data.row.row !== this.info?.row) this.sentTo(data.row);
    else if (session && data.row.version > session.version) this.open(data.row);
    else panel.showTitle((this.info = data.row));
  }

  // The page shows another photo, whatever the editor would have done.
  sentTo(info) {
    const from = this.info;
    const { session, panel } = this.editor;
    if (session) {
      this.desk.save(session, this.signed()).catch((error) => {
        const choices = { "Go back to it": () => this.sentTo(from) };
        panel.say(`${from.title} is not saved. ${error.message}`, { kind: "problem", choices });
      });
    }
    this.open(info);
  }

  async open(info) {
    this.info = info;
    this.editor.leave();
    const opening = (this.opening = {});
    const picture = this.desk.picture(info.row).catch((error) => error);
    let opened;
    try {
      opened = await this.desk.open(info);
    } catch (error) {
      if (this.opening === opening) this.cannotOpen(info, error);
      return;
    }
    const image = await picture;
    if (this.opening !== opening || this.editor.abort.signal.aborted) return;
    this.editor.show(info, opened, image);
    const near = [...this.ahead, ...this.behind.slice(0, 1)];
    this.desk.prefetch(near, this.editor.data.engine);
  }

  cannotOpen(info, error) {
    this.editor.showNothing(info);
    const choices = { "Try again": () => this.open(info) };
    this.editor.panel.say(error.message, { kind: "problem", choices });
  }

  showNeighbours() {
    this.editor.panel.button("previous").disabled = this.behind.length === 0;
    this.editor.panel.button("next").disabled = this.ahead.length === 0;
  }

  // Saves, then shows another photo at once; Python is told, and decides what comes after it.
  async go(kind, to, wanted = {}) {
    const { session } = this.editor;
    if (!session || this.isGoing) return;
    const start = performance.now();
    this.isGoing = true;
    try {
      await this.desk.save(session, { ...this.signed(), ...wanted });
    } catch (error) {
      this.cannotSave(error, session, () => this.go(kind, to, wanted));
      return;
    } finally {
      this.isGoing = false;
    }
    this.editor.changed();
    this.tell(kind, session, to?.row ?? null);
    if (!to) return;
    const from = this.info;
    if (to === this.ahead[0]) [this.ahead, this.behind] = [this.ahead.slice(1), [from, ...this.behind]];
    else if (to === this.behind[0]) [this.ahead, this.behind] = [[from, ...this.ahead], this.behind.slice(1)];
    this.showNeighbours();
    await this.open(to);
    this.editor.reveal();
    measured("next photo", start);
  }

  previous() {
    if (this.behind.length) this.go("go", this.behind[0]);
  }

  next() {
    if (this.ahead.length) this.go("go", this.ahead[0]);
  }

  skip() {
    this.go("skipped", this.ahead[0]);
  }

  review(status, reason = "") {
    const { session, panel, data } = this.editor;
    // In a blind audit an empty mask says that no animal can be seen.
    if (status === "accepted" && session?.raster.isEmpty() && !data.audit) {
      panel.say(
        "An empty mask hides nothing, so it cannot be accepted. Draw the animal first, or reject " +
          "the photo and say why.",
        { kind: "problem" }
      );
      return;
    }
    this.go("reviewed", data.advances ? this.ahead[0] : undefined, { status, reason });
  }

  async save() {
    const { session } = this.editor;
    try {
      await this.desk.save(session, this.signed());
    } catch (error) {
      this.cannotSave(error, session, () => this.save());
      return;
    }
    this.editor.changed();
    this.tell("saved", session, session.row);
  }

  // Whoever leaves the page has not lost what was drawn.
  saveAndEnd() {
    const { session } = this.editor;
    if (session) this.desk.save(session, this.signed()).catch(() => undefined);
  }

  signed() {
    return { author: this.editor.data.author, engine: this.editor.data.engine };
  }

  tell(kind, { row, version, status }, to) {
    this.eventCount += 1;
    this.lastEventId = `${this.name}-${this.eventCount}`;
    this.editor.setStateValue("event", { id: this.lastEventId, kind, row, version, status, to });
  }

  // Nothing is lost: the strokes stay here and in the browser until somebody decides.
  cannotSave(error, session, again) {
    const { panel } = this.editor;
    if (error.status !== 409) {
      panel.say(error.message, { kind: "problem", choices: { "Try again": again } });
      return;
    }
    const mine = () => {
      session.version = error.details.version;
      again();
    };
    const choices = { "Save mine as the newest": mine, "Show the newer one": () => this.takeTheirs(session) };
    panel.say(error.message, { kind: "warning", choices });
  }

  async takeTheirs(session) {
    const { panel } = this.editor;
    try {
      session.takeTheirs(await currentMask(session.row, this.desk.audit));
    } catch (error) {
      panel.say(error.message, { kind: "problem", choices: { "Try again": () => this.takeTheirs(session) } });
      return;
    }
    this.editor.changed();
    panel.say("This is the newer mask. Undo brings yours back.");
  }
}
