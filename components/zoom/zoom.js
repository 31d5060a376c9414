// Pictures of one size that are looked at together: what is done to one moves all.
// A picture magnified s times is moved by (x, y), in fractions of its box.

const MAX_ZOOM = 24;
const KEY_STEP = 0.15; // of the box
const NO_ZOOM = { s: 1, x: 0, y: 0 };

function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}

// The same place (px, py) of the box stays under the pointer.
function zoomedAt(view, factor, px, py) {
  const s = clamp(view.s * factor, 1, MAX_ZOOM);
  const moved = (at, by) => at - ((at - by) * s) / view.s;
  return insideBox({ s, x: moved(px, view.x), y: moved(py, view.y) });
}

// No picture leaves its box.
function insideBox({ s, x, y }) {
  return { s, x: clamp(x, 1 - s, 0), y: clamp(y, 1 - s, 0) };
}

class SharedZoom {
  // boxes: elements of class "zoomed"; changed: called with the view after each change.
  constructor(boxes, changed, signal) {
    this.boxes = boxes;
    this.changed = changed;
    this.view = NO_ZOOM;
    this.fingers = new Map(); // pointer id -> place in its box
    for (const box of boxes) {
      const on = (type, handle, more = {}) => box.addEventListener(type, handle, { signal, ...more });
      on("wheel", (event) => this.wheeled(event, box), { passive: false });
      on("pointerdown", (event) => this.pressed(event, box));
      on("pointermove", (event) => this.moved(event, box));
      for (const type of ["pointerup", "pointercancel"]) on(type, (event) => this.released(event));
      on("pointerleave", () => this.point(null));
      on("dblclick", (event) => this.doubled(event, box));
    }
  }

  set(view) {
    this.view = insideBox(view);
    for (const box of this.boxes) {
      const { s, x, y } = this.view;
      box.classList.toggle("magnified", s > 1);
      for (const image of box.querySelectorAll("img")) {
        image.style.transform = `translate(${x * 100}%, ${y * 100}%) scale(${s})`;
      }
    }
    this.changed(this.view);
  }

  reset() {
    this.set(NO_ZOOM);
  }

  // Keys of a magnifier; true if the key was one.
  key(event) {
    const { s, x, y } = this.view;
    const step = event.shiftKey ? KEY_STEP : 0;
    const pan = {
      ArrowLeft: [step, 0],
      ArrowRight: [-step, 0],
      ArrowUp: [0, step],
      ArrowDown: [0, -step],
    }[event.key];
    if (event.key === "+" || event.key === "=") this.set(zoomedAt(this.view, 1.5, 0.5, 0.5));
    else if (event.key === "-") this.set(zoomedAt(this.view, 1 / 1.5, 0.5, 0.5));
    else if (event.key === "0" || event.key === "Escape") this.reset();
    else if (pan && step && s > 1) this.set({ s, x: x + pan[0], y: y + pan[1] });
    else return false;
    return true;
  }

  place(event, box) {
    const { left, top, width, height } = box.getBoundingClientRect();
    return [(event.clientX - left) / width, (event.clientY - top) / height];
  }

  wheeled(event, box) {
    // Where there is nothing to shrink, the wheel scrolls the page.
    if (event.deltaY > 0 && this.view.s === 1) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 24 : 1;
    this.set(zoomedAt(this.view, Math.exp(-event.deltaY * lines * 0.0015), ...this.place(event, box)));
  }

  pressed(event, box) {
    if (event.button !== 0) return;
    this.fingers.set(event.pointerId, this.place(event, box));
    if (this.view.s > 1 || this.fingers.size > 1) box.setPointerCapture(event.pointerId);
  }

  moved(event, box) {
    const to = this.place(event, box);
    if (event.pointerType === "mouse") this.point(to, box);
    const from = this.fingers.get(event.pointerId);
    if (!from) return;
    this.fingers.set(event.pointerId, to);
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) this.pinch(from, to, other);
    else if (this.view.s > 1) {
      const { s, x, y } = this.view;
      this.set({ s, x: x + to[0] - from[0], y: y + to[1] - from[1] });
    }
  }

  pinch(from, to, other) {
    const distance = ([x, y]) => Math.max(0.01, Math.hypot(x - other[0], y - other[1]));
    this.set(zoomedAt(this.view, distance(to) / distance(from), ...other));
  }

  released(event) {
    this.fingers.delete(event.pointerId);
  }

  doubled(event, box) {
    if (this.view.s > 1) this.reset();
    else this.set(zoomedAt(this.view, 3, ...this.place(event, box)));
  }

  // Show in the other boxes where the mouse is in one.
  point(place, box) {
    for (const other of this.boxes) {
      const pointer = other.querySelector(".pointer");
      if (!pointer) continue;
      const isShown = place !== null && other !== box;
      pointer.style.visibility = isShown ? "visible" : "hidden";
      if (isShown) {
        pointer.style.left = `${place[0] * 100}%`;
        pointer.style.top = `${place[1] * 100}%`;
      }
    }
  }
}
