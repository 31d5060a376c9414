// Draws only the tiles in sight, so that a hundred thousand rows cost no more than fifty.
// It follows layout.js and tile.js in one module.

const STRIP_BAR = 14; // kept free for the scroll bar of a strip, so that its height never changes
const SETTLED_MS = 80; // pictures are asked once the scrolling has been still for so long

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
    const before = this.ids;
    this.columns = columns;
    Object.assign(this, columns); // ids, captions, details, states, versions
    this.count = this.ids.length;
    // Where only words or pictures of the same rows have changed, the place is kept.
    if (before?.length === this.count && before.every((id, place) => id === this.ids[place])) return;
    this.active = 0;
    this.anchor = 0;
    this.firstInSight = 0;
    this.viewport.scrollTop = 0;
    this.viewport.scrollLeft = 0;
  }

  showCurrent(smooth) {
    const place = this.data.current === null ? -1 : this.ids.indexOf(this.data.current);
    if (place < 0) return;
    this.active = place;
    this.reveal(place, smooth);
  }

  arrange() {
    const width = this.root.clientWidth;
    if (!this.data || width === 0) return; // in a closed tab
    const isStrip = this.data.layout === "strip";
    const textLines = this.details ? 2 : 1;
    const layout = new Layout({ count: this.count, width, tilePx: this.data.tilePx, textLines, isStrip });
    const view = this.viewport;
    // Tiles stand in line with the page; the rings around them and the scroll bar stand outside it.
    view.style.marginRight = `-${ROOM + view.offsetWidth - view.clientWidth}px`;
    this.canvas.style.height = `${layout.height}px`;
    this.canvas.style.width = isStrip ? `${layout.width}px` : "auto";
    const height = isStrip ? layout.height + STRIP_BAR : Math.min(layout.height, this.data.heightPx);
    view.style.height = `${height}px`;
    this.root.classList.toggle("narrow", layout.isNarrow);
    if (layout.equals(this.layout)) return;
    // The place is kept when the window is resized, and found when a closed tab is opened.
    const place = this.layout ? this.firstInSight : this.active;
    this.layout = layout;
    this.removeTiles();
    if (place > 0) this.reveal(place, false);
  }

  draw() {
    if (!this.layout) return;
    const [first, end] = this.layout.inSight(this.viewport);
    this.firstInSight = first;
    const margin = end - first; // one screen before and after
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
    let text = `Images ${number(first + 1)}–${number(end)} of ${number(this.count)}`;
    if (this.count === 0) text = "No images";
    if (this.selected.size > 0) text += ` · ${number(this.selected.size)} selected`;
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  addTile(index) {
    const tile = makeTile({
      index,
      count: this.count,
      caption: this.captions[index],
      detail: this.details?.[index],
      state: this.data.states[this.states[index]],
      view: this.data.view,
      canTick: this.data.ticked !== null,
      pictureHeight: this.layout.pictureHeight,
    });
    for (const [side, px] of Object.entries(this.layout.box(index))) tile.style[side] = `${px}px`;
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
    const [first, end] = this.layout.inSight(this.viewport);
    const distance = (index) => (index < first ? first - index : Math.max(0, index - end + 1));
    const waiting = [...this.tiles].filter(([, tile]) => !tile.querySelector("img").src);
    waiting.sort(([a], [b]) => distance(a) - distance(b) || a - b);
    for (const [index, tile] of waiting) loadPicture(tile, this.url(index));
  }

  url(index) {
    const wanted = this.layout.tileWidth * (window.devicePixelRatio || 1);
    const sizes = this.data.sizes;
    const query = new URLSearchParams(this.data.query);
    query.set("size", sizes.find((size) => size >= wanted) ?? sizes[sizes.length - 1]);
    if (this.versions) query.set("v", this.versions[index]);
    return `/api/rows/${this.ids[index]}/image?${query}`;
  }

  scrolled() {
    this.scrolling = true;
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  reveal(index, smooth) {
    if (!this.layout) return;
    const behavior = smooth ? "smooth" : "instant";
    this.viewport.scrollTo({ ...this.layout.revealing(index, this.viewport), behavior });
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
    if (event.ctrlKey || event.metaKey || event.altKey || !this.layout || this.count === 0) return;
    const canTick = this.data.ticked !== null;
    const step = this.layout.step(event.key, this.viewport.clientHeight, this.count);
    if (step !== undefined) this.move(event.key, step, canTick && event.shiftKey);
    else if (event.key === "Enter" || (event.key === " " && !canTick)) this.open(this.active);
    else if (event.key === " ") this.tick(this.active);
    else return;
    event.preventDefault();
    event.stopPropagation(); // Streamlit has keys of its own
  }

  move(key, step, extending) {
    const to = this.active + step;
    // Up from the first line and down from the last one lead nowhere.
    const isLine = key === "ArrowUp" || key === "ArrowDown";
    if (!isLine || (to >= 0 && to < this.count)) {
      this.active = Math.min(this.count - 1, Math.max(0, to));
    }
    if (extending) this.tickRange(this.active);
    this.reveal(this.active, false);
    this.draw();
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
