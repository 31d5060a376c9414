// The four views of the crop as the mask stands now, each on a small canvas of its own: the views
// are what the mask is for.

const STRIP_VIEWS = [
  ["full", "Full image"],
  ["foreground", "Animal alone"],
  ["shortcut", "Surroundings alone"],
  ["silhouette", "Outline alone"],
];
const STRIP_PX = 240; // the longer side of a canvas

class Strip {
  constructor(root) {
    this.root = root.querySelector(".strip");
    this.canvases = STRIP_VIEWS.map(([view, title]) => {
      const figure = document.createElement("figure");
      const canvas = document.createElement("canvas");
      const caption = document.createElement("figcaption");
      caption.textContent = title;
      canvas.dataset.view = view;
      figure.append(canvas, caption);
      this.root.append(figure);
      return canvas;
    });
  }

  // Of what a view removes, and of the animal in its outline, as "#rrggbb".
  setColours({ fill, silhouette }) {
    this.colours = [rgbOf(fill), rgbOf(silhouette)];
    this.changed();
  }

  show(session, image) {
    this.session = session;
    this.picture = null;
    if (session && image) this.takePicture(image);
    this.changed();
  }

  takePicture(image) {
    const [width, height] = this.session.size;
    this.scale = Math.min(1, STRIP_PX / Math.max(width, height));
    const size = [width, height].map((side) => Math.max(1, Math.round(side * this.scale)));
    for (const canvas of this.canvases) [canvas.width, canvas.height] = size;
    const pen = this.canvases[0].getContext("2d", { willReadFrequently: true });
    pen.imageSmoothingQuality = "high";
    pen.drawImage(image, 0, 0, ...size);
    this.picture = pen.getImageData(0, 0, ...size);
  }

  changed() {
    this.frame ??= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = null;
    if (!this.session || !this.picture) return;
    const { width, height } = this.picture;
    const view = { scale: width / this.session.raster.width, x: 0, y: 0 };
    const inside = sampled(this.session.raster, view, 1, [0, 0, width, height]);
    const hasMask = inside.includes(1);
    this.root.classList.toggle("empty", !hasMask);
    for (const canvas of this.canvases) {
      const pen = canvas.getContext("2d");
      const image = pen.createImageData(width, height);
      drawView(image, this.picture, inside, canvas.dataset.view, ...this.colours);
      pen.putImageData(image, 0, 0);
    }
  }
}
