// Two photos under one magnifier. All four views are loaded, so that a key switches at once.

const MAGNIFIED = 1.5; // from here on the larger picture is worth its bytes
const PHOTO_KEY = "5";

class PairInspector {
  constructor(parent) {
    this.root = parent.querySelector(".pair");
    this.boxes = [...parent.querySelectorAll(".zoomed")];
    this.place = parent.querySelector(".place");
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.zoom = new SharedZoom(this.boxes, () => this.sharpen(), signal);
    // On the document, so that the keys work without a click on the photos first.
    document.addEventListener("keydown", (event) => this.pressed(event), { signal });
    document.addEventListener("keyup", (event) => this.released(event), { signal });
    for (const button of parent.querySelectorAll(".step")) {
      button.addEventListener("click", () => this.step(Number(button.dataset.by)), { signal });
    }
  }

  destroy() {
    this.abort.abort();
  }

  update(data, send) {
    const before = this.data;
    this.data = data;
    this.send = send;
    for (const [name, colour] of Object.entries(data.colours)) this.root.style.setProperty(`--${name}`, colour);
    const isSamePair = JSON.stringify(before?.rows) === JSON.stringify(data.rows);
    if (!isSamePair) {
      this.zoom.reset();
      this.drawPhotos();
    }
    // A view chosen here and not yet known to Python holds.
    if (!isSamePair || data.view !== before.view) this.view = data.view;
    this.drawViews();
    this.drawFacts();
    this.show();
  }

  drawViews() {
    const group = this.root.querySelector(".views");
    if (group.childElementCount === 0) {
      this.data.views.forEach(({ name, label }, index) => {
        const button = element("button");
        button.type = "button";
        button.setAttribute("role", "radio");
        button.dataset.view = name;
        button.append(element("kbd", "", index + 1), label);
        button.addEventListener("click", () => this.choose(name));
        group.append(button);
      });
    }
  }

  drawPhotos() {
    this.boxes.forEach((box, index) => {
      box.replaceChildren();
      box.className = `zoomed ${index === 0 ? "query" : this.data.isRight ? "right" : "wrong"}`;
      const caption = box.parentElement.querySelector("figcaption");
      caption.textContent = this.data.captions[index];
      caption.title = this.data.captions[index];
      const pictures = [...this.data.views, { name: "photo", label: "whole photo", query: this.data.photo }];
      for (const { name, label, query } of pictures) {
        const image = element("img");
        image.dataset.view = name;
        image.alt = `${this.data.captions[index]}, ${label.toLowerCase()}`;
        image.dataset.url = `/api/rows/${this.data.rows[index]}/image?${query}`;
        image.draggable = false;
        image.onload = () => this.loadOthers();
        image.onerror = () => this.explain(image);
        box.append(image);
      }
    });
  }

  drawFacts() {
    const lines = this.data.facts.map(({ name, query, candidate, relation, isMarked }) => {
      const line = element("tr", isMarked ? "marked" : "");
      const words = isMarked ? `⚠ ${relation}` : relation;
      for (const text of [capitalised(name), query, candidate, words]) line.append(element("td", "", text));
      return line;
    });
    this.root.querySelector("tbody").replaceChildren(...lines);
  }

  show() {
    const name = this.isWhole ? "photo" : this.view;
    for (const box of this.boxes) {
      for (const image of box.querySelectorAll("img")) {
        const isShown = image.dataset.view === name;
        image.classList.toggle("shown", isShown);
        if (isShown) load(image);
      }
      const problem = box.querySelector(".problem");
      if (problem) problem.hidden = problem.dataset.view !== name;
    }
    for (const button of this.root.querySelectorAll(".views button")) {
      const isChosen = button.dataset.view === this.view;
      button.setAttribute("aria-checked", String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
    }
    const { label, place } = this.data.views.find((view) => view.name === this.view);
    this.place.textContent = `${label}: ${place}`;
    this.sharpen();
  }

  // The other views follow once those in sight are there.
  loadOthers() {
    const shown = this.boxes.map((box) => box.querySelector("img.shown"));
    if (shown.every((image) => image?.complete)) this.root.querySelectorAll("img").forEach(load);
  }

  sharpen() {
    if (this.zoom?.view.s < MAGNIFIED || !this.data) return;
    for (const image of this.root.querySelectorAll("img.shown")) {
      const [small, large] = this.data.sizes;
      const url = image.dataset.url.replace(`size=${small}`, `size=${large}`);
      if (image.dataset.url === url) continue;
      image.dataset.url = url;
      image.src = url; // the small picture stays until the large one is there
    }
  }

  async explain(image) {
    let words = "The server cannot be reached.";
    try {
      const answer = await fetch(image.dataset.url);
      words = answer.ok ? "The picture cannot be shown." : await answer.text();
    } catch { /* the words above hold */ }
    const problem = element("div", "problem", words);
    problem.dataset.view = image.dataset.view;
    problem.hidden = !image.classList.contains("shown");
    if (image.isConnected) image.parentElement.append(problem);
  }

  choose(name) {
    if (name === this.view) return;
    this.view = name;
    this.show();
    this.send.setStateValue("view", name);
  }

  step(by) {
    this.send.setTriggerValue("step", by);
  }

  pressed(event) {
    const writes = event.composedPath()[0].closest?.("input, textarea, select, [contenteditable]");
    if (event.ctrlKey || event.metaKey || event.altKey || writes || !this.data) return;
    const view = this.data.views[Number(event.key) - 1];
    if (view) this.choose(view.name);
    else if (event.key === PHOTO_KEY) this.showWhole(true);
    else if (event.key === "ArrowLeft" && !event.shiftKey) this.step(-1);
    else if (event.key === "ArrowRight" && !event.shiftKey) this.step(1);
    else if (event.key === "Escape" || !this.zoom.key(event)) return;
    event.preventDefault();
    event.stopPropagation(); // Streamlit has keys of its own
  }

  released(event) {
    if (event.key === PHOTO_KEY) this.showWhole(false);
  }

  showWhole(isWhole) {
    if (this.isWhole === isWhole) return;
    this.isWhole = isWhole;
    this.show();
  }
}

function load(image) {
  if (!image.getAttribute("src")) image.src = image.dataset.url;
}

function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text ?? "";
  return made;
}

const inspectors = new WeakMap();

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  if (!inspectors.has(parentElement)) inspectors.set(parentElement, new PairInspector(parentElement));
  const inspector = inspectors.get(parentElement);
  inspector.update(data, { setStateValue, setTriggerValue });
  // Streamlit calls this for every new value of `data`, too: then the inspector stays.
  return () =>
    setTimeout(() => {
      if (parentElement.isConnected) return;
      inspector.destroy();
      inspectors.delete(parentElement);
    });
}
