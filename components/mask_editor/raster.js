// Masks as pixels, at the crop's own resolution: any number of parts and holes.
//
// Pixels lie column by column, as COCO counts them, so that run lengths and strokes are both plain
// walks through memory. A pixel belongs to a shape if its centre does.

class Raster {
  constructor(width, height, pixels = new Uint8Array(width * height)) {
    this.width = width;
    this.height = height;
    this.pixels = pixels; // 1 on the animal
  }

  get size() {
    return [this.width, this.height];
  }

  copy() {
    return new Raster(this.width, this.height, this.pixels.slice());
  }

  get area() {
    return this.runs().reduce((sum, run, i) => sum + (i % 2 ? run : 0), 0);
  }

  isEmpty() {
    return this.pixels.indexOf(1) < 0;
  }

  // COCO run lengths, which begin with a run of zeros.
  runs() {
    const { pixels } = this;
    const runs = [];
    let value = 0;
    for (let at = 0; at < pixels.length; value = 1 - value) {
      const found = pixels.indexOf(1 - value, at); // native, so that 20 megapixels take no time
      const end = found < 0 ? pixels.length : found;
      runs.push(end - at);
      at = end;
    }
    return runs;
  }
}

function rasterOf(runs, width, height) {
  const raster = new Raster(width, height);
  let at = 0;
  runs.forEach((run, i) => {
    if (i % 2) raster.pixels.fill(1, at, at + run);
    at += run;
  });
  if (at !== width * height) throw new Error(`run lengths cover ${at} of ${width * height} pixels`);
  return raster;
}

// Ranges of pixels that a step has turned over, as start and end in turn: turning them over once
// more undoes it, and once again redoes it.
class Flips {
  constructor() {
    this.ranges = [];
  }

  add(start, end) {
    const { ranges } = this;
    if (ranges[ranges.length - 1] === start) ranges[ranges.length - 1] = end;
    else ranges.push(start, end);
  }

  get isEmpty() {
    return this.ranges.length === 0;
  }

  done() {
    return Int32Array.from(this.ranges);
  }
}

function flip(raster, ranges) {
  const { pixels } = raster;
  for (let i = 0; i < ranges.length; i += 2) {
    for (let at = ranges[i]; at < ranges[i + 1]; at++) pixels[at] ^= 1;
  }
}

// What turns one mask into another of the same size.
function flipsBetween(before, after) {
  const flips = new Flips();
  const [a, b] = [before.pixels, after.pixels];
  for (let at = 0; at < a.length; at++) {
    if (a[at] === b[at]) continue;
    const start = at;
    while (at < a.length && a[at] !== b[at]) at++;
    flips.add(start, at);
  }
  return flips.done();
}

// Rows whose centres lie from `low` to `high`, in column x.
function paintSpan(raster, x, low, high, value, flips) {
  const top = Math.max(0, Math.ceil(low - 0.5));
  const bottom = Math.min(raster.height, Math.floor(high - 0.5) + 1);
  const { pixels } = raster;
  const end = x * raster.height + bottom;
  for (let at = x * raster.height + top; at < end; at++) {
    if (pixels[at] === value) continue;
    const start = at;
    while (at < end && pixels[at] !== value) pixels[at++] = value;
    flips.add(start, at);
  }
}

// A stroke of a round brush from one native place to another.
function paintStroke(raster, from, to, radius, value, flips) {
  const r = Math.max(0.5, radius);
  const first = Math.max(0, Math.ceil(Math.min(from[0], to[0]) - r - 0.5));
  const last = Math.min(raster.width - 1, Math.floor(Math.max(from[0], to[0]) + r - 0.5));
  for (let x = first; x <= last; x++) {
    const [low, high] = strokeSpan(x + 0.5, from, to, r);
    if (low <= high) paintSpan(raster, x, low, high, value, flips);
  }
  for (const [u, v] of [from, to]) paintPixel(raster, u, v, value, flips);
}

// However small the brush, the pixel under the pointer is painted.
function paintPixel(raster, u, v, value, flips) {
  const [x, y] = [Math.floor(u), Math.floor(v)];
  if (x < 0 || y < 0 || x >= raster.width || y >= raster.height) return;
  paintSpan(raster, x, y + 0.5, y + 0.5, value, flips);
}

// Where a vertical line crosses the stroke: the hull of two discs, so one interval.
function strokeSpan(u, from, to, r) {
  let [low, high] = [Infinity, -Infinity];
  const reach = (v) => {
    low = Math.min(low, v);
    high = Math.max(high, v);
  };
  for (const [cu, cv] of [from, to]) {
    const across = r * r - (u - cu) * (u - cu);
    if (across < 0) continue;
    reach(cv - Math.sqrt(across));
    reach(cv + Math.sqrt(across));
  }
  const [du, dv] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(du, dv);
  for (const side of length > 0 ? [-1, 1] : []) {
    const [nu, nv] = [(-dv / length) * r * side, (du / length) * r * side];
    const along = (u - from[0] - nu) / du;
    if (du !== 0 && along >= 0 && along <= 1) reach(from[1] + nv + along * dv);
  }
  return [low, high];
}

// The inside of a polygon by the even-odd rule; corners are native places.
function paintPolygon(raster, corners, value, flips) {
  const us = corners.map(([u]) => u);
  const first = Math.max(0, Math.floor(Math.min(...us)));
  const last = Math.min(raster.width - 1, Math.ceil(Math.max(...us)));
  for (let x = first; x <= last; x++) {
    const crossings = crossingsAt(x + 0.5, corners);
    for (let i = 0; i + 1 < crossings.length; i += 2) {
      paintSpan(raster, x, crossings[i], crossings[i + 1], value, flips);
    }
  }
}

function crossingsAt(u, corners) {
  const found = [];
  corners.forEach(([u1, v1], i) => {
    const [u2, v2] = corners[(i + 1) % corners.length];
    if (u1 <= u === u2 <= u) return;
    found.push(v1 + ((u - u1) / (u2 - u1)) * (v2 - v1));
  });
  return found.sort((a, b) => a - b);
}

// Steps that can be taken back and again, without limit. A step is any object with `ranges`.
class UndoLog {
  constructor(steps = [], position = steps.length) {
    this.steps = steps;
    this.position = position; // steps before it are done
  }

  get last() {
    return this.steps[this.position - 1];
  }

  get next() {
    return this.steps[this.position];
  }

  push(step) {
    this.steps.length = this.position;
    this.steps.push(step);
    this.position += 1;
  }

  // The step to take back, or undefined.
  back() {
    const step = this.last;
    if (step) this.position -= 1;
    return step;
  }

  forward() {
    const step = this.next;
    if (step) this.position += 1;
    return step;
  }
}
