// Between the pointer and the pixels of a crop. Native places are continuous: (0, 0) is the outer
// corner of the first pixel, whose centre is at (0.5, 0.5).
//
// A view { scale, x, y } shows the native place (u, v) at (x + u * scale, y + v * scale), in CSS
// pixels from the corner of the stage.

const MAX_SCALE = 48; // CSS pixels a native pixel: a pixel is then as large as a finger
const MARGIN_PX = 10; // around a picture that is shown whole
const KEPT_PX = 60; // of the picture stay in sight however far it is moved

function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}

function toNative(view, [px, py]) {
  return [(px - view.x) / view.scale, (py - view.y) / view.scale];
}

function toStage(view, [u, v]) {
  return [view.x + u * view.scale, view.y + v * view.scale];
}

// The whole picture, as large as the stage allows, in its middle. Sizes are [width, height].
function fitted(size, stage) {
  const room = stage.map((side) => Math.max(1, side - 2 * MARGIN_PX));
  const scale = Math.min(MAX_SCALE, room[0] / size[0], room[1] / size[1]);
  return { scale, x: (stage[0] - size[0] * scale) / 2, y: (stage[1] - size[1] * scale) / 2 };
}

// The same place stays under the pointer.
function zoomedAt(view, factor, [px, py], size, stage) {
  const smallest = Math.min(1, fitted(size, stage).scale / 2);
  const scale = clamp(view.scale * factor, smallest, MAX_SCALE);
  const moved = (at, by) => by - ((by - at) * scale) / view.scale;
  return inSight({ scale, x: moved(view.x, px), y: moved(view.y, py) }, size, stage);
}

function panned(view, [dx, dy], size, stage) {
  return inSight({ scale: view.scale, x: view.x + dx, y: view.y + dy }, size, stage);
}

// After the stage has changed its size, what was in its middle is in its middle again.
function recentred(view, before, stage, size) {
  const moved = [0, 1].map((axis) => (stage[axis] - before[axis]) / 2);
  return panned(view, moved, size, stage);
}

function inSight({ scale, x, y }, size, stage) {
  const kept = (at, length, room) => {
    const least = Math.min(KEPT_PX, length, room);
    return clamp(at, least - length, room - least);
  };
  return {
    scale,
    x: kept(x, size[0] * scale, stage[0]),
    y: kept(y, size[1] * scale, stage[1]),
  };
}

// Where an event happened on the stage, in CSS pixels; exact at any browser zoom.
function placeOf(event, element) {
  const { left, top } = element.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
}

// A place of the crop; what lies outside belongs to its edge.
function insideCrop([u, v], [width, height]) {
  return [clamp(u, 0, width), clamp(v, 0, height)];
}

function isInside([u, v], [width, height]) {
  return u >= 0 && v >= 0 && u <= width && v <= height;
}
