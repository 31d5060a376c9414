// Draws masks in the pixels of the screen, so that its cost depends on the window and not on the
// photo, and outlines are equally thin at any zoom.

const ABGR = (r, g, b, a) => ((a << 24) | (b << 16) | (g << 8) | r) >>> 0;

function rgbOf(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

// Native pixel under each screen pixel along one axis; -1 outside. `ratio` is screen pixels a CSS
// pixel.
function nativePixels(from, count, ratio, offset, scale, length) {
  const found = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const native = Math.floor(((from + i + 0.5) / ratio - offset) / scale);
    found[i] = native >= 0 && native < length ? native : -1;
  }
  return found;
}

// 0 or 1 for each screen pixel of a region [left, top, width, height].
function sampled(raster, view, ratio, [left, top, width, height]) {
  const columns = nativePixels(left, width, ratio, view.x, view.scale, raster.width);
  const rows = nativePixels(top, height, ratio, view.y, view.scale, raster.height);
  const inside = new Uint8Array(width * height);
  const { pixels, height: native } = raster;
  for (let j = 0, at = 0; j < height; j++) {
    const y = rows[j];
    if (y < 0) {
      at += width;
      continue;
    }
    for (let i = 0; i < width; i++, at++) {
      if (columns[i] >= 0) inside[at] = pixels[columns[i] * native + y];
    }
  }
  return inside;
}

// The mask over a region of the stage. `look`: fill (opacity from 0 to 1, 0 for an outline alone)
// and colours of what stays, and of what a preview would add and remove.
function drawMask(context, { raster, preview, view, ratio, look, region }) {
  const line = Math.max(1, Math.round(ratio));
  const wide = grown(region, line + 1, context.canvas);
  const now = sampled(raster, view, ratio, wide);
  const then = preview ? sampled(preview, view, ratio, wide) : now;
  const image = context.createImageData(wide[2], wide[3]);
  paint(new Uint32Array(image.data.buffer), now, then, wide[2], wide[3], line, coloursOf(look));
  const [left, top, width, height] = region;
  context.putImageData(image, wide[0], wide[1], left - wide[0], top - wide[1], width, height);
}

function coloursOf({ opacity, mask, added, removed }) {
  const filled = (colour, share) => ABGR(...rgbOf(colour), Math.round(255 * share));
  const change = Math.max(0.75, opacity); // what is about to change is seen in any case
  return {
    fills: [0, filled(removed, change), filled(added, change), filled(mask, opacity)],
    line: ABGR(...rgbOf(mask), 255),
    previewLine: ABGR(...rgbOf(added), 255),
    shade: ABGR(0, 0, 0, 150),
  };
}

// A region with some pixels more on each side, within the canvas.
function grown([left, top, width, height], by, { width: right, height: bottom }) {
  const [x, y] = [Math.max(0, left - by), Math.max(0, top - by)];
  const across = Math.min(right, left + width + by) - x;
  return [x, y, Math.max(1, across), Math.max(1, Math.min(bottom, top + height + by) - y)];
}

function paint(out, now, then, width, height, line, colours) {
  const edge = now === then ? colours.line : colours.previewLine;
  for (let j = 0, at = 0; j < height; j++) {
    for (let i = 0; i < width; i++, at++) {
      const is = then[at];
      const left = i >= line ? then[at - line] : is;
      const right = i + line < width ? then[at + line] : is;
      const up = j >= line ? then[at - line * width] : is;
      const down = j + line < height ? then[at + line * width] : is;
      // A light line within a dark one is seen on any photo.
      if (is !== left || is !== right || is !== up || is !== down) out[at] = is ? edge : colours.shade;
      else out[at] = colours.fills[now[at] + 2 * is];
    }
  }
}

// One view of the crop from its picture, both of the strip's size. rgb triples; `inside` as sampled.
function drawView(image, picture, inside, view, fill, silhouette) {
  const out = image.data;
  const seen = picture.data;
  for (let at = 0; at < inside.length; at++) {
    const isAnimal = inside[at] === 1;
    const shows = view === "full" || (view === "foreground") === isAnimal;
    const plain = view === "silhouette" && isAnimal ? silhouette : fill;
    const isPhoto = view !== "silhouette" && shows;
    for (let c = 0; c < 3; c++) out[4 * at + c] = isPhoto ? seen[4 * at + c] : plain[c];
    out[4 * at + 3] = 255;
  }
}
