// The clean-up of a mask: shown with its numbers first, then applied or given up.

class Cleaning {
  constructor(editor) {
    this.editor = editor;
    this.result = null;
  }

  async propose() {
    const { session, stage, panel } = this.editor;
    if (session.raster.isEmpty()) {
      panel.say("There is no mask to clean up yet.");
      return;
    }
    const { stepId } = session;
    const [width, height] = session.size;
    try {
      const mask = { size_hw: [height, width], counts: session.raster.runs() };
      const answer = await cleanedMask(session.row, mask);
      if (this.editor.session !== session || session.stepId !== stepId) return;
      if (!answer.changes) {
        panel.say(answer.words);
        return;
      }
      this.result = rasterOf(answer.counts, width, height);
      stage.setPreview(this.result);
      panel.showCleaning(answer.words);
    } catch (error) {
      panel.say(error.message, { kind: "problem" });
    }
  }

  // True if there was a proposal to give up.
  cancel() {
    const wasThere = Boolean(this.result);
    this.result = null;
    this.editor.panel.showCleaning("");
    if (wasThere) this.editor.stage.setPreview(null);
    return wasThere;
  }

  // True if there was a proposal to apply.
  apply() {
    const { result, editor } = this;
    if (!this.cancel()) return false;
    const prompts = { ...editor.session.prompts, start: null, candidates: [], chosen: -1 };
    editor.session.replace("clean up", result, prompts);
    editor.changed();
    return true;
  }
}
