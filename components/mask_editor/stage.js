// The picture with the mask over it: three canvases of one size, and the view that all share.

const PIXELATED_FROM = 4; // CSS pixels a pixel of the picture

// How long something took until it was seen, for the browser's own timeline and for tests.
function measured(what, from, detail = {}) {
  requestAnimationFrame(() => performance.measure(what, { start: from, detail }));
}

class Stage {
  constructor(root, signal) {
    this.box = root.querySelector(".stage");
    const canvas = (name) => root.querySelector(`canvas.${name}`);
    this.canvases = [canvas("picture"), canvas("mask"), canvas("marks")];
    [this.picture, this.mask, this.marks] = this.canvases.map((c) => c.getContext("2d"));
    this.look = { opacity: 0.4, mask: "#ffffff", added: "#ffffff", removed: "#ffffff" };
    this.view = { scale: 1, x: 0, y: 0 };
    this.css = [0, 0];
    this.stale = new Set();
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.box);
    signal.addEventListener("abort", () => this.observer.disconnect());
    // The pixel ratio changes with the browser's zoom, without a change of size at times.
    window.addEventListener("resize", () => this.resized(), { signal });
  }

  get ratio() {
    return window.devicePixelRatio || 1;
  }

  // session and image may be null while they are on their way.
  show(session, image) {
    const isOther = session !== this.session;
    this.session = session;
    this.image = image;
    this.preview = null;
    if (isOther && session) this.fit();
    this.redraw();
  }

  fit() {
    if (!this.session) return;
    this.isFitted = true;
    this.setView(fitted(this.session.size, this.css));
  }

  zoom(factor, place = this.css.map((side) => side / 2)) {
    if (!this.session) return;
    this.isFitted = false;
    this.setView(zoomedAt(this.view, factor, place, this.session.size, this.css));
  }

  pan(by) {
    if (!this.session) return;
    this.isFitted = false;
    this.setView(panned(this.view, by, this.session.size, this.css));
  }

  setView(view) {
    this.view = view;
    this.redraw();
  }

  // Another mask to compare with the one at hand, or null.
  setPreview(raster) {
    this.preview = raster;
    this.changed("mask");
  }

  setHidden(isHidden) {
    this.isMaskHidden = isHidden;
    this.changed("mask");
  }

  resized() {
    const { width, height } = this.box.getBoundingClientRect();
    if (width === 0 || height === 0) return; // in a closed tab
    const before = this.css;
    const device = [width, height].map((side) => Math.round(side * this.ratio));
    const [canvas] = this.canvases;
    if (before[0] === width && before[1] === height && canvas.width === device[0]) return;
    this.css = [width, height];
    for (const each of this.canvases) [each.width, each.height] = device;
    if (!this.session) return;
    if (this.isFitted) this.fit();
    else this.setView(recentred(this.view, before, this.css, this.session.size));
  }

  // The place of the crop under an event.
  native(event) {
    return toNative(this.view, placeOf(event, this.box));
  }

  redraw() {
    this.changed("picture", "mask", "marks");
  }

  changed(...layers) {
    for (const layer of layers) this.stale.add(layer);
    this.frame ??= requestAnimationFrame(() => this.draw());
  }

  // Only this part of the mask has changed, in native places.
  maskChanged(left, top, right, bottom) {
    const [x1, y1] = toStage(this.view, [left, top]).map((at) => Math.floor(at * this.ratio) - 3);
    const [x2, y2] = toStage(this.view, [right, bottom]).map((at) => Math.ceil(at * this.ratio) + 3);
    const part = this.part ?? [x1, y1, x2, y2];
    this.part = [Math.min(part[0], x1), Math.min(part[1], y1), Math.max(part[2], x2), Math.max(part[3], y2)];
    this.changed("part");
  }

  draw() {
    this.frame = null;
    const { stale } = this;
    this.stale = new Set();
    if (stale.has("picture")) this.drawPicture();
    if (stale.has("mask")) this.drawMask(this.whole);
    else if (stale.has("part")) this.drawMask(this.partInSight());
    this.part = null;
    if (stale.has("marks")) this.drawMarks();
  }

  get whole() {
    return [0, 0, this.mask.canvas.width, this.mask.canvas.height];
  }

  partInSight() {
    const [, , width, height] = this.whole;
    const [x, y] = [clamp(this.part[0], 0, width), clamp(this.part[1], 0, height)];
    return [x, y, clamp(this.part[2], 0, width) - x, clamp(this.part[3], 0, height) - y];
  }

  drawPicture() {
    const { picture, view, ratio } = this;
    picture.clearRect(0, 0, picture.canvas.width, picture.canvas.height);
    if (!this.session || !this.image) return;
    const [width, height] = this.session.size.map((side) => side * view.scale * ratio);
    picture.imageSmoothingEnabled = width / ratio / this.image.naturalWidth < PIXELATED_FROM;
    picture.imageSmoothingQuality = "high";
    picture.drawImage(this.image, view.x * ratio, view.y * ratio, width, height);
  }

  drawMask(region) {
    if (region[2] <= 0 || region[3] <= 0) return;
    this.mask.clearRect(...region);
    if (!this.session || this.isMaskHidden) return;
    const { view, ratio, look, preview } = this;
    drawMask(this.mask, { raster: this.session.raster, preview, view, ratio, look, region });
  }

  drawMarks() {
    const { marks, ratio } = this;
    marks.setTransform(1, 0, 0, 1, 0, 0);
    marks.clearRect(0, 0, marks.canvas.width, marks.canvas.height);
    marks.setTransform(ratio, 0, 0, ratio, 0, 0); // marks are drawn in CSS pixels
    if (this.session) this.onMarks?.(marks, (place) => toStage(this.view, place));
  }
}
