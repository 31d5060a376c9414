// The words and sliders around the picture.

const LOOKS = "cfr mask editor";
const USUAL = { brush: 24, opacity: 40, brightness: 100, contrast: 100, outline: false, colour: "" };

class Panel {
  constructor(root, editor, signal) {
    this.root = root;
    this.editor = editor;
    const find = (selector) => root.querySelector(selector);
    this.title = find(".title");
    this.state = find(".state");
    this.message = find(".message");
    this.busy = find(".busy");
    this.candidates = find(".candidates");
    this.cleaning = find(".cleaning");
    this.reasons = find(".reasons");
    this.sheet = find(".sheet");
    this.looks = find(".looks");
    buildToolbar(find(".tools"), find(".review"));
    buildSheet(this.sheet);
    this.values = { ...USUAL, ...JSON.parse(localStorage.getItem(LOOKS) ?? "{}") };
    this.looks.addEventListener("input", (event) => this.changed(event.target), { signal });
    root.addEventListener("click", (event) => this.clicked(event), { signal });
    this.reasons.addEventListener("submit", (event) => this.rejected(event), { signal });
  }

  clicked(event) {
    const { do: command, candidate } = event.target.closest("button")?.dataset ?? {};
    if (candidate !== undefined) this.editor.proposals.choose(Number(candidate));
    else if (command) this.editor.run(command);
  }

  changed(input) {
    this.values[input.name] = input.type === "checkbox" ? input.checked : input.value;
    localStorage.setItem(LOOKS, JSON.stringify(this.values));
    this.showLooks();
    this.editor.lookChanged();
  }

  set(name, value) {
    const input = this.looks.querySelector(`[name=${name}]`);
    if (input.type === "checkbox") input.checked = value;
    else input.value = value;
    this.changed(input);
  }

  showLooks() {
    for (const input of this.looks.querySelectorAll("input")) {
      const value = this.values[input.name] || (input.type === "color" ? this.editor.data.colours.mask : 0);
      if (input.type === "checkbox") input.checked = this.values[input.name];
      else input.value = value;
      const unit = input.name === "brush" ? " px" : " %";
      const output = input.parentElement.querySelector("output");
      if (output) output.textContent = `${value}${unit}`;
    }
    this.button("outline").setAttribute("aria-pressed", String(this.values.outline));
  }

  button(command) {
    return this.root.querySelector(`button[data-do="${command}"]`);
  }

  showTool(id) {
    for (const { id: each, group } of COMMANDS) {
      if (group === "tool") this.button(each).setAttribute("aria-pressed", String(each === id));
    }
  }

  showTitle(info) {
    this.title.replaceChildren(made("strong", "", info.title), made("span", "", info.detail));
  }

  showSession(session) {
    this.button("undo").disabled = !session.log.last;
    this.button("redo").disabled = !session.log.next;
    const area = (100 * session.raster.area) / (session.raster.width * session.raster.height);
    const states = {
      accepted: "accepted",
      proposed: "waiting for review",
      rejected: `rejected${session.reason ? `: ${session.reason}` : ""}`,
    };
    const who = session.author ? ` by ${session.author}` : "";
    const unnumbered = session.isDirty ? "New mask" : "No mask yet";
    const version = session.version ? `Version ${session.version}, ${states[session.status]}${who}` : unnumbered;
    const share = area ? ` · ${area.toFixed(1)} % of the crop` : "";
    this.state.replaceChildren(
      made("span", `status ${session.status}`, version),
      made("span", "", share),
      made("span", session.isDirty ? "unsaved" : "", session.isDirty ? " · unsaved changes" : "")
    );
    this.state.dataset.version = session.version;
    this.showCandidates(session.prompts);
  }

  showCandidates({ candidates, chosen }) {
    this.candidates.hidden = candidates.length < 2;
    const row = this.candidates.querySelector(".row");
    row.replaceChildren(
      ...candidates.map((candidate, i) => {
        const score = candidate.score === null ? "" : ` · ${candidate.score.toFixed(2)}`;
        const button = made("button", "", `${i + 1}${score}`);
        button.type = "button";
        button.dataset.candidate = i;
        button.title = `Proposal ${i + 1} (key ${i + 1})${score && `, the engine's own score${score}`}`;
        button.setAttribute("aria-pressed", String(i === chosen));
        return button;
      })
    );
  }

  // choices: words of a button -> what it does.
  say(text, { kind = "info", choices = {} } = {}) {
    clearTimeout(this.fading);
    this.message.hidden = !text;
    this.message.className = `message ${kind}`;
    this.message.replaceChildren(made("span", "", text));
    for (const [words, act] of Object.entries(choices)) {
      const button = made("button", "", words);
      button.type = "button";
      button.addEventListener("click", () => {
        this.say("");
        act();
      });
      this.message.append(button);
    }
    if (kind === "info" && text && Object.keys(choices).length === 0) {
      this.fading = setTimeout(() => this.say(""), 6000);
    }
  }

  showBusy(words) {
    this.busy.hidden = !words;
    this.busy.textContent = words;
  }

  showCleaning(words) {
    this.cleaning.hidden = !words;
    this.cleaning.querySelector(".words").textContent = words;
  }

  askReason() {
    this.reasons.hidden = false;
    this.reasons.reset();
    this.reasons.elements.reason.focus();
  }

  rejected(event) {
    event.preventDefault();
    const reason = this.reasons.elements.reason.value.trim();
    if (!reason) return; // a rejection without a reason helps nobody
    this.closeReasons();
    this.editor.journey.review("rejected", reason);
  }

  closeReasons() {
    const wasOpen = !this.reasons.hidden;
    this.reasons.hidden = true;
    return wasOpen;
  }

  toggleSheet() {
    if (this.sheet.open) this.sheet.close();
    else this.sheet.showModal();
  }
}
