// Draws only the tiles in sight, so that a hundred thousand rows cost no more than fifty.

const GAP = 12;
const ROOM = 6; // around the tiles, for the rings of the focus and of the selection
const PICTURE_ASPECT = 0.8; // height of a picture's box to its width
const LINE = 18; // height of a line of text
const TEXT_GAP = 6;
const SETTLED_MS = 80; // pictures are asked once the scrolling has been still for so long

const SIGNS = { plain: "", right: "✓", wrong: "✗", query: "query", attention: "!" };
const SPOKEN = { right: "right match", wrong: "wrong match", query: "query", attention: "to be looked at" };

class Gallery {
  constructor(parent) {
    this.root = parent.querySelector(".gallery");
    this.viewport = parent.querySelector(".viewport");
    this.canvas = parent.querySelector(".canvas");
    this.status = parent.querySelector(".status");
    this.tiles = new Map(); // index -> element
    this.active = 0;
    this.anchor = 0; // where a range begins
    this.selected = new Set();
    this.lastSelectionId = null;
    this.eventCount = 0;
    this.session = Date.now().toString(36) + Math.random().toString(36).slice(2);
    this.abort = new AbortController();
    const on = (target, type, handle) =>
      target.addEventListener(type, handle, { signal: this.abort.signal });
    on(this.viewport, "scroll", () => this.scrolled());
    on(this.viewport, "keydown", (event) => this.pressed(event));
    on(this.canvas, "click", (event) => this.clicked(event));
    this.resize = new ResizeObserver(() => {
      this.arrange();
      this.draw();
    });
    this.resize.observe(this.root);
  }

  destroy() {
    this.abort.abort();
    this.resize.disconnect();
    clearTimeout(this.settling);
    this.removeTiles();
  }

  async update(data, setStateValue) {
    this.setStateValue = setStateValue;
    this.wanted = data;
    const columns = data.digest === this.data?.digest ? this.columns : await columnsOf(data);
    if (this.wanted !== data || this.abort.signal.aborted) return; // a later run was faster
    const before = this.data;
    this.data = data;
    for (const [name, colour] of Object.entries(data.colours)) {
      this.root.style.setProperty(`--${name}`, colour);
    }
    this.root.classList.toggle("strip", data.layout === "strip");
    this.viewport.setAttribute("aria-multiselectable", String(data.ticked !== null));
    this.takeTicks(before === undefined);
    const sameRows = columns === this.columns;
    if (!sameRows) this.takeRows(columns);
    const look = ({ query, layout, tilePx, heightPx, ticked }) =>
      JSON.stringify([query, layout, tilePx, heightPx, ticked === null]);
    if (!sameRows || look(before) !== look(data)) this.removeTiles();
    this.arrange();
    if (!sameRows || before.current !== data.current) this.showCurrent(sameRows);
    this.draw();
  }

  // Python's ticks count unless something was ticked here that it has not seen yet.
  takeTicks(isNew) {
    if (!isNew && this.data.seen !== this.lastSelectionId) return;
    this.lastSelectionId = this.data.seen;
    this.selected = new Set(this.data.ticked ?? []);
  }

  takeRows(columns) {
    this.columns = columns;
    Object.assign(this, columns); // ids, captions, details, states, versions
    this.count = this.ids.length;
    this.active = 0;
    this.anchor = 0;
    this.viewport.scrollTop = 0;
    this.viewport.scrollLeft = 0;
  }

  showCurrent(smooth) {
    const place = this.data.current === null ? -1 : this.ids.indexOf(this.data.current);
    if (place < 0) return;
    this.active = place;
    this.reveal(place, smooth);
  }

  // Sizes of everything; cheap, and the same for the same width.
  arrange() {
    const width = this.root.clientWidth;
    if (!this.data || width === 0) return; // in a closed tab
    const lines = this.details ? 2 : 1;
    const strip = this.data.layout === "strip";
    // Tiles stand in line with the page; the rings around them and the scroll bar stand outside it.
    const bar = this.viewport.offsetWidth - this.viewport.clientWidth;
    this.viewport.style.marginRight = `-${ROOM + bar}px`;
    this.perLine = strip ? Math.max(1, this.count) : Math.max(1, Math.floor((width + GAP) / (this.data.tilePx + GAP)));
    this.tileWidth = strip ? this.data.tilePx : (width - GAP * (this.perLine - 1)) / this.perLine;
    this.pictureHeight = Math.round(this.tileWidth * PICTURE_ASPECT);
    this.tileHeight = this.pictureHeight + TEXT_GAP + lines * LINE;
    this.lines = Math.ceil(this.count / this.perLine);
    const height = this.lines * (this.tileHeight + GAP) - GAP + 2 * ROOM;
    this.canvas.style.height = `${Math.max(0, height)}px`;
    this.canvas.style.width = strip ? `${this.count * (this.tileWidth + GAP) - GAP + 2 * ROOM}px` : "auto";
    // The height of a strip leaves room for its scroll bar, so that it is the same with and without.
    this.viewport.style.height = strip ? `${height + 14}px` : `${Math.min(height, this.data.heightPx)}px`;
    const shape = `${this.tileWidth} ${this.tileHeight} ${this.perLine}`;
    if (shape !== this.shape) {
      const first = this.firstInSight;
      this.shape = shape;
      this.removeTiles();
      if (first) this.reveal(first, false); // keep the place when the window is resized
    }
  }

  position(index) {
    return {
      left: ROOM + (index % this.perLine) * (this.tileWidth + GAP),
      top: ROOM + Math.floor(index / this.perLine) * (this.tileHeight + GAP),
    };
  }

  inSight() {
    const view = this.viewport;
    if (this.data.layout === "strip") {
      const step = this.tileWidth + GAP;
      return [Math.floor(view.scrollLeft / step), Math.ceil((view.scrollLeft + view.clientWidth) / step)];
    }
    const step = this.tileHeight + GAP;
    const first = Math.floor(view.scrollTop / step) * this.perLine;
    return [first, Math.ceil((view.scrollTop + view.clientHeight) / step) * this.perLine];
  }

  draw() {
    if (!this.shape || !this.data) return;
    const [first, end] = this.inSight();
    this.firstInSight = first;
    const margin = Math.max(end - first, this.perLine); // one screen before and after
    const from = Math.max(0, first - margin);
    const to = Math.min(this.count, end + margin);
    for (const [index, tile] of this.tiles) {
      if (index < from || index >= to) this.removeTile(index, tile);
    }
    for (let index = from; index < to; index++) {
      if (!this.tiles.has(index)) this.addTile(index);
      this.mark(index);
    }
    this.viewport.setAttribute("aria-activedescendant", `tile-${this.active}`);
    this.tell(first, Math.min(end, this.count));
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.load(), this.scrolling ? SETTLED_MS : 0);
    this.scrolling = false;
  }

  tell(first, end) {
    const number = (n) => n.toLocaleString("en");
    let text = this.count === 0 ? "No images" : `Images ${number(first + 1)}–${number(end)} of ${number(this.count)}`;
    if (this.selected.size > 0) text += ` · ${number(this.selected.size)} selected`;
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  addTile(index) {
    const state = this.data.states[this.states[index]];
    const caption = this.captions[index];
    const detail = this.details?.[index];
    const tile = element("div", `tile ${state}`);
    tile.id = `tile-${index}`;
    tile.dataset.index = index;
    tile.setAttribute("role", "option");
    tile.setAttribute("aria-posinset", index + 1);
    tile.setAttribute("aria-setsize", this.count);
    tile.title = detail ? `${caption}\n${detail}` : caption;
    const { left, top } = this.position(index);
    Object.assign(tile.style, { left: `${left}px`, top: `${top}px`, width: `${this.tileWidth}px`, height: `${this.tileHeight}px` });
    const frame = element("div", "frame");
    frame.style.height = `${this.pictureHeight}px`;
    const image = element("img");
    image.alt = [caption, detail, SPOKEN[state], `${this.data.view} view`].filter(Boolean).join(", ");
    frame.append(image);
    if (SIGNS[state]) frame.append(element("span", "sign", SIGNS[state]));
    if (this.data.ticked !== null) frame.append(element("span", "tick"));
    tile.append(frame, element("div", "caption", caption));
    if (this.details) tile.append(element("div", "detail", detail));
    this.tiles.set(index, tile);
    this.canvas.append(tile);
  }

  removeTile(index, tile) {
    tile.querySelector("img").removeAttribute("src"); // a picture on its way is no longer wanted
    tile.remove();
    this.tiles.delete(index);
  }

  removeTiles() {
    for (const [index, tile] of this.tiles) this.removeTile(index, tile);
  }

  mark(index) {
    const tile = this.tiles.get(index);
    const id = this.ids[index];
    const ticked = this.selected.has(id);
    tile.classList.toggle("active", index === this.active);
    tile.classList.toggle("current", id === this.data.current);
    tile.classList.toggle("selected", ticked);
    tile.setAttribute("aria-selected", String(this.data.ticked === null ? id === this.data.current : ticked));
  }

  load() {
    const [first, end] = this.inSight();
    const distance = (index) => (index < first ? first - index : Math.max(0, index - end + 1));
    const waiting = [...this.tiles.keys()].filter((index) => !this.tiles.get(index).querySelector("img").src);
    for (const index of waiting.sort((a, b) => distance(a) - distance(b) || a - b)) this.loadPicture(index);
  }

  loadPicture(index) {
    const tile = this.tiles.get(index);
    const image = tile.querySelector("img");
    image.onload = () => image.classList.add("loaded");
    image.onerror = () => this.explain(tile, image.src);
    image.src = this.url(index);
  }

  url(index) {
    const wanted = this.tileWidth * (window.devicePixelRatio || 1);
    const sizes = this.data.sizes;
    const query = new URLSearchParams(this.data.query);
    query.set("size", sizes.find((size) => size >= wanted) ?? sizes[sizes.length - 1]);
    if (this.versions) query.set("v", this.versions[index]);
    return `/api/rows/${this.ids[index]}/image?${query}`;
  }

  async explain(tile, url) {
    if (!url || !tile.isConnected) return;
    let words = "The server cannot be reached.";
    try {
      const answer = await fetch(url);
      if (!answer.ok) words = await answer.text();
      else words = "The picture cannot be shown.";
    } catch { /* the words above hold */ }
    if (tile.isConnected && !tile.querySelector(".problem")) {
      tile.querySelector(".frame").append(element("div", "problem", words));
      tile.title += `\n${words}`;
    }
  }

  scrolled() {
    this.scrolling = true;
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  reveal(index, smooth) {
    if (!this.shape) return;
    const { left, top } = this.position(index);
    const view = this.viewport;
    const near = (start, size, at, extent) =>
      start < at ? start : start + size > at + extent ? start + size - extent : at;
    view.scrollTo({
      left: near(left - ROOM, this.tileWidth + 2 * ROOM, view.scrollLeft, view.clientWidth),
      top: near(top - ROOM, this.tileHeight + 2 * ROOM, view.scrollTop, view.clientHeight),
      behavior: smooth ? "smooth" : "instant",
    });
  }

  clicked(event) {
    const tile = event.target.closest(".tile");
    if (!tile) return;
    const index = Number(tile.dataset.index);
    const canTick = this.data.ticked !== null;
    this.viewport.focus({ preventScroll: true });
    if (canTick && event.shiftKey) this.tickRange(index);
    else if (canTick && (event.ctrlKey || event.metaKey || event.target.closest(".tick"))) this.tick(index);
    else this.open(index);
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.count === 0) return;
    const page = Math.max(1, Math.floor(this.viewport.clientHeight / (this.tileHeight + GAP))) * this.perLine;
    const strip = this.data.layout === "strip";
    const steps = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: strip ? -1 : -this.perLine,
      ArrowDown: strip ? 1 : this.perLine,
      PageUp: -page,
      PageDown: page,
      Home: -this.count,
      End: this.count,
    };
    if (event.key in steps) {
      const step = steps[event.key];
      const whole = Math.abs(step) === 1 || Math.abs(step) === this.count;
      const to = this.active + step;
      // Up from the first line and down from the last line lead nowhere.
      if (whole || (to >= 0 && to < this.count) || event.key.startsWith("Page")) {
        this.active = Math.min(this.count - 1, Math.max(0, to));
      }
      if (event.shiftKey && this.data.ticked !== null) this.tickRange(this.active);
      this.reveal(this.active, false);
      this.draw();
    } else if (event.key === "Enter" || (event.key === " " && this.data.ticked === null)) {
      this.open(this.active);
    } else if (event.key === " ") {
      this.tick(this.active);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation(); // Streamlit has keys of its own
  }

  open(index) {
    this.active = this.anchor = index;
    this.draw();
    this.setStateValue("event", { id: this.nextId(), row: this.ids[index] });
  }

  tick(index) {
    const id = this.ids[index];
    if (!this.selected.delete(id)) this.selected.add(id);
    this.anchor = index;
    this.active = index;
    this.sendSelection();
  }

  tickRange(index) {
    const [from, to] = [Math.min(this.anchor, index), Math.max(this.anchor, index)];
    for (let i = from; i <= to; i++) this.selected.add(this.ids[i]);
    this.active = index;
    this.sendSelection();
  }

  sendSelection() {
    this.lastSelectionId = this.nextId();
    this.draw();
    this.setStateValue("selection", { id: this.lastSelectionId, rows: [...this.selected] });
  }

  nextId() {
    this.eventCount += 1;
    return `${this.session}-${this.eventCount}`;
  }
}

function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text ?? "";
  return made;
}

async function columnsOf(data) {
  if (data.columns) return JSON.parse(data.columns);
  const answer = await fetch(data.columnsUrl);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

// Streamlit calls this for every new value of `data`. What it returns is called when the gallery
// leaves the page, but at once too if a still newer value came in the meantime: then it stays.
const galleries = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  if (!galleries.has(parentElement)) galleries.set(parentElement, new Gallery(parentElement));
  const gallery = galleries.get(parentElement);
  gallery.update(data, setStateValue).catch((error) => {
    gallery.status.textContent = error.message;
  });
  return () =>
    setTimeout(() => {
      if (parentElement.isConnected) return;
      gallery.destroy();
      galleries.delete(parentElement);
    });
}
