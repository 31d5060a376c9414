// Cards with pictures. Text from data is only ever set as text.

const SVG = "http://www.w3.org/2000/svg";
const SIDE = 100;
const MARGIN = 10;

function element(tag, className, text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// The CFR-SSI plane, CFR to the right and SSI upwards, with one point.
function plane([cfr, ssi], colours) {
  const size = SIDE + 2 * MARGIN;
  const drawn = shape("svg", { viewBox: `0 0 ${size} ${size}`, "aria-hidden": "true" });
  const quarters = [
    [0, 1, colours.weak],
    [1, 1, colours.foreground],
    [0, 0, colours.shortcut],
    [1, 0, colours.leakage],
  ];
  const half = SIDE / 2;
  for (const [column, line, fill] of quarters) {
    const x = MARGIN + column * half;
    const y = MARGIN + line * half;
    drawn.append(shape("rect", { x, y, width: half, height: half, fill, "fill-opacity": 0.3 }));
  }
  const cx = MARGIN + SIDE * Math.min(1, Math.max(0, cfr));
  const cy = MARGIN + SIDE * (1 - Math.min(1, Math.max(0, ssi)));
  drawn.append(shape("circle", { cx, cy, r: 6, class: "point" }));
  drawn.lastChild.style.fill = "var(--st-text-color)";
  drawn.lastChild.style.stroke = "var(--st-background-color)";
  drawn.lastChild.style.strokeWidth = "2";
  return drawn;
}

function picture(url, alt) {
  const image = element("img", "");
  image.alt = alt;
  image.loading = "lazy";
  image.src = url;
  return image;
}

function makeCard(card, colours, open) {
  const item = element("div", "item");
  item.setAttribute("role", "listitem");
  const button = element("button", "card");
  button.type = "button";
  button.title = card.title;
  button.setAttribute("aria-label", [card.title, ...card.lines, card.mark].filter(Boolean).join(", "));
  button.addEventListener("click", () => open(card.key));
  const pictures = element("div", "pictures");
  pictures.append(...card.pictures.map((url) => picture(url, `A photo of ${card.title}`)));
  if (card.point) pictures.append(plane(card.point, colours));
  const words = element("div", "words");
  words.append(element("div", "title", card.title));
  words.append(...card.lines.map((line) => element("div", "line", line)));
  if (card.mark) {
    const mark = element("div", "mark");
    const dot = element("span", "dot");
    dot.style.background = card.colour;
    mark.append(dot, card.mark);
    words.append(mark);
  }
  button.append(pictures, words);
  item.append(button);
  return item;
}

// Drawn anew only when something has changed, so that pictures and focus stay over the page's runs.
const drawn = new WeakMap();

export default function ({ parentElement, data, setTriggerValue }) {
  const list = parentElement.querySelector(".cards");
  const text = JSON.stringify(data);
  if (drawn.get(list) === text) return;
  drawn.set(list, text);
  const open = (key) => setTriggerValue("opened", key);
  list.replaceChildren(...data.cards.map((card) => makeCard(card, data.plane, open)));
}
