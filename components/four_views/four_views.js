// Four pictures of one row in boxes of one size, arranged so that they are as large as possible.
// It follows zoom.js in one module.

const GAP = 12;
const WORDS_HEIGHT = 72; // room for the lines above and under a picture
const PAGE_ROOM = 130; // of the window's height, left to the page
const SHARPER_MS = 180;
const WHOLE_PX = 640; // a picture is first asked in this size at least

function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

// Columns and box width at which four pictures of an aspect (width by height) are largest.
function arrangement(width, height, aspect) {
  const fitting = [4, 2, 1].map((columns) => {
    const lines = 4 / columns;
    const across = (width - GAP * (columns - 1)) / columns;
    const down = (height - GAP * (lines - 1)) / lines - WORDS_HEIGHT;
    return { columns, box: Math.floor(Math.min(across, down * aspect)) };
  });
  return fitting.reduce((best, other) => (other.box > best.box ? other : best));
}

class FourViews {
  constructor(parent) {
    this.root = parent.querySelector(".views");
    this.grid = parent.querySelector(".panels");
    this.abort = new AbortController();
    this.session = Date.now().toString(36) + Math.random().toString(36).slice(2);
    this.eventCount = 0;
    this.aspect = 4 / 3;
    const { signal } = this.abort;
    this.root.addEventListener("keydown", (event) => this.keyed(event), { signal });
    parent.querySelector(".tools").addEventListener("click", (event) => this.tool(event), { signal });
    window.addEventListener("resize", () => this.arrange(), { signal });
    this.resize = new ResizeObserver(() => this.arrange());
    this.resize.observe(this.root);
  }

  destroy() {
    this.abort.abort();
    this.resize.disconnect();
    clearTimeout(this.sharpening);
  }

  async update(data, setStateValue) {
    this.setStateValue = setStateValue;
    const before = this.data;
    this.data = data;
    // A page that has not heard of the last step yet must not lead back.
    if (!this.sent || data.seen === this.sent) this.place = data.place;
    if (!this.panels) this.build();
    const sameRow = before?.row === data.row;
    const pictures = await Promise.all(
      data.views.map((view) => this.fetched(view, this.size(sameRow)))
    );
    if (this.data !== data || this.abort.signal.aborted) return; // a later one was asked
    this.show(pictures, sameRow);
    for (const row of data.ahead) {
      for (const view of data.views) new Image().src = this.url(row.row, view, this.size(), row.version);
    }
  }

  build() {
    this.panels = this.data.views.map((view) => {
      const panel = element("div", "panel");
      const box = element("div", "zoomed");
      const [title, words, problem] = [element("h4"), element("p"), element("div", "problem")];
      const image = element("img");
      box.append(image, element("div", "pointer"), problem);
      panel.append(title, box, words);
      this.grid.append(panel);
      return { box, title, words, problem, image };
    });
    const boxes = this.panels.map((panel) => panel.box);
    this.zoom = new SharedZoom(boxes, (view) => this.zoomed(view), this.abort.signal);
    this.arrange();
  }

  // A picture with its words; an image element does not tell why it failed, so it is asked again.
  async fetched(view, size) {
    if (view.problem) return { view, problem: view.problem };
    const url = this.url(this.data.row, view, size, this.data.version);
    const image = new Image();
    image.src = url;
    try {
      await image.decode();
      return { view, url, aspect: image.naturalWidth / image.naturalHeight, px: image.naturalWidth };
    } catch {
      return { view, problem: await reason(url) };
    }
  }

  show(pictures, sameRow) {
    const [strong, rest] = [element("strong", "", this.data.title), element("span", "", this.data.detail)];
    this.root.querySelector(".title").replaceChildren(strong, rest);
    pictures.forEach(({ view, url, problem }, i) => {
      const panel = this.panels[i];
      panel.title.textContent = view.title;
      panel.words.textContent = view.words;
      panel.problem.textContent = problem ?? "";
      panel.box.dataset.view = view.name;
      panel.image.alt = problem ? "" : `${this.data.title}, ${view.title}`;
      if (url) panel.image.src = url;
      else panel.image.removeAttribute("src");
    });
    this.root.dataset.row = this.data.row;
    const shown = pictures.find((picture) => picture.url);
    this.aspect = shown?.aspect ?? this.aspect;
    this.px = shown?.px ?? 0;
    this.arrange();
    // Where photos are of one size, as of a camera trap, the same corner is compared from one to
    // the next only if somebody asks: another photo is first seen whole.
    if (!sameRow) this.zoom.reset();
    else this.zoom.set(this.zoom.view);
  }

  arrange() {
    const width = this.root.clientWidth;
    if (!this.panels || width === 0) return; // in a closed tab
    const height = Math.max(380, window.innerHeight - PAGE_ROOM);
    const { columns, box } = arrangement(width, height, this.aspect);
    this.box = Math.max(120, box);
    this.grid.style.gridTemplateColumns = `repeat(${columns}, ${this.box}px)`;
    this.grid.style.gap = `${GAP}px`;
    for (const panel of this.panels) {
      panel.box.style.width = `${this.box}px`;
      panel.box.style.height = `${Math.round(this.box / this.aspect)}px`;
    }
  }

  zoomed({ s }) {
    this.root.querySelector(".zoom").textContent = `${Math.round(100 * s)} %`;
    // Once pixels are large they are shown as they are: this is where edges of masks are looked at.
    const isCoarse = this.px > 0 && (this.box * s) / this.px > 4;
    for (const { box } of this.panels) box.classList.toggle("pixels", isCoarse);
    clearTimeout(this.sharpening);
    if (s > 1) this.sharpening = setTimeout(() => this.sharpen(), SHARPER_MS);
  }

  // Ask for larger pictures when the shown ones are magnified beyond their pixels.
  async sharpen() {
    const data = this.data;
    const size = this.size(true);
    if (size <= (this.sharpest ?? 0) && this.sharpRow === data.row) return;
    [this.sharpest, this.sharpRow] = [size, data.row];
    const pictures = await Promise.all(data.views.map((view) => this.fetched(view, size)));
    if (this.data === data && !this.abort.signal.aborted) this.show(pictures, true);
  }

  size(magnified = false) {
    const s = magnified ? this.zoom.view.s : 1;
    const longest = (this.box ?? WHOLE_PX) * Math.max(1, 1 / this.aspect);
    const wanted = Math.max(WHOLE_PX, longest * s * (window.devicePixelRatio || 1));
    const { sizes } = this.data;
    return sizes.find((size) => size >= wanted) ?? sizes[sizes.length - 1];
  }

  url(row, view, size, version) {
    const query = new URLSearchParams(view.query);
    query.set("size", size);
    query.set("v", version);
    return `/api/rows/${row}/image?${query}`;
  }

  tool(event) {
    const what = event.target.closest("button")?.dataset.do;
    if (what === "fit") this.zoom.reset();
    else if (what) this.zoom.set(zoomedAt(this.zoom.view, what === "in" ? 1.5 : 1 / 1.5, 0.5, 0.5));
  }

  keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.zoom) return;
    const step = event.shiftKey ? undefined : { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step !== undefined) this.step(step);
    else if (!this.zoom.key(event)) return;
    event.preventDefault();
    event.stopPropagation(); // Streamlit has keys of its own
  }

  // Places, not steps: of several steps in a hurry Python sees the last one only.
  step(by) {
    this.place = clamp(this.place + by, 0, this.data.count - 1);
    this.eventCount += 1;
    this.sent = `${this.session}-${this.eventCount}`;
    this.setStateValue("event", { id: this.sent, place: this.place });
  }
}

async function reason(url) {
  try {
    const answer = await fetch(url);
    return answer.ok ? "The picture cannot be shown." : await answer.text();
  } catch {
    return "The server cannot be reached.";
  }
}

// Streamlit calls this for every new value of `data`. What it returns is called when the component
// leaves the page, but at once too if a still newer value came in the meantime: then it stays.
const instances = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  if (!instances.has(parentElement)) instances.set(parentElement, new FourViews(parentElement));
  const views = instances.get(parentElement);
  views.update(data, setStateValue).catch((error) => {
    views.root.querySelector(".title").textContent = error.message;
  });
  return () =>
    setTimeout(() => {
      if (parentElement.isConnected) return;
      views.destroy();
      instances.delete(parentElement);
    });
}
