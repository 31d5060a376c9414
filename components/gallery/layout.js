// Where each tile stands: the same for the same width, whatever the pictures are.

const GAP = 12;
const ROOM = 6; // around the tiles, for the rings of the focus and of the selection
const PICTURE_ASPECT = 0.8; // height of a picture's box to its width
const LINE = 18; // height of a line of text
const TEXT_GAP = 6;
const SHRUNK = 0.64; // tiles of a strip give way so far, if all of them are then in sight

class Layout {
  constructor({ count, width, tilePx, textLines, isStrip }) {
    this.isStrip = isStrip;
    const fitting = Math.max(1, Math.floor((width + GAP) / (tilePx + GAP)));
    this.perLine = isStrip ? Math.max(1, count) : fitting;
    const all = (width - GAP * (count - 1)) / count;
    const stripTile = all >= tilePx * SHRUNK ? Math.min(tilePx, all) : tilePx;
    this.tileWidth = isStrip ? stripTile : (width - GAP * (fitting - 1)) / fitting;
    this.isNarrow = isStrip && this.tileWidth < tilePx; // its details need a second line
    this.pictureHeight = Math.round(this.tileWidth * PICTURE_ASPECT);
    const lines = textLines + (this.isNarrow && textLines > 1 ? 1 : 0);
    this.tileHeight = this.pictureHeight + TEXT_GAP + lines * LINE;
    this.columnStep = this.tileWidth + GAP;
    this.lineStep = this.tileHeight + GAP;
    const nLines = Math.ceil(count / this.perLine);
    this.height = Math.max(0, nLines * this.lineStep - GAP + 2 * ROOM);
    this.width = this.perLine * this.columnStep - GAP + 2 * ROOM;
  }

  equals(other) {
    return ["tileWidth", "tileHeight", "perLine"].every((name) => this[name] === other?.[name]);
  }

  // Box of a tile in the canvas.
  box(index) {
    return {
      left: ROOM + (index % this.perLine) * this.columnStep,
      top: ROOM + Math.floor(index / this.perLine) * this.lineStep,
      width: this.tileWidth,
      height: this.tileHeight,
    };
  }

  // First tile in sight and the one after the last; the end may lie past the last row.
  inSight(view) {
    if (this.isStrip) {
      const end = Math.ceil((view.scrollLeft + view.clientWidth) / this.columnStep);
      return [Math.floor(view.scrollLeft / this.columnStep), end];
    }
    const lastLine = Math.ceil((view.scrollTop + view.clientHeight) / this.lineStep);
    return [Math.floor(view.scrollTop / this.lineStep) * this.perLine, lastLine * this.perLine];
  }

  // Where to scroll so that a tile is wholly in sight; nowhere if it is.
  revealing(index, view) {
    const near = (start, size, at, extent) => {
      if (start < at) return start;
      return start + size > at + extent ? start + size - extent : at;
    };
    const { left, top, width, height } = this.box(index);
    return {
      left: near(left - ROOM, width + 2 * ROOM, view.scrollLeft, view.clientWidth),
      top: near(top - ROOM, height + 2 * ROOM, view.scrollTop, view.clientHeight),
    };
  }

  // How far a key moves, in rows; undefined for other keys.
  step(key, viewHeight, count) {
    const page = Math.max(1, Math.floor(viewHeight / this.lineStep)) * this.perLine;
    const line = this.isStrip ? 1 : this.perLine;
    return {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -line,
      ArrowDown: line,
      PageUp: -page,
      PageDown: page,
      Home: -count,
      End: count,
    }[key];
  }
}
