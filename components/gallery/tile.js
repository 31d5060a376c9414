// One picture with its frame and its lines of text. Text from data is only ever set as text.

const SIGNS = { plain: "", right: "✓", wrong: "✗", query: "query", attention: "!" };
const SPOKEN = {
  right: "right match",
  wrong: "wrong match",
  query: "query",
  attention: "to be looked at",
};

function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text ?? "";
  return made;
}

function makeTile({ index, count, caption, detail, state, view, canTick, pictureHeight }) {
  const tile = element("div", `tile ${state}`);
  tile.id = `tile-${index}`;
  tile.dataset.index = index;
  tile.title = [caption, detail].filter(Boolean).join("\n");
  tile.setAttribute("role", "option");
  tile.setAttribute("aria-posinset", index + 1);
  tile.setAttribute("aria-setsize", count);
  const frame = element("div", "frame");
  frame.style.height = `${pictureHeight}px`;
  const image = element("img");
  image.alt = [caption, detail, SPOKEN[state], `${view} view`].filter(Boolean).join(", ");
  frame.append(image);
  if (SIGNS[state]) frame.append(element("span", "sign", SIGNS[state]));
  if (canTick) frame.append(element("span", "tick"));
  tile.append(frame, element("div", "caption", caption));
  if (detail !== undefined) tile.append(element("div", "detail", detail));
  return tile;
}

function loadPicture(tile, url) {
  const image = tile.querySelector("img");
  image.onload = () => image.classList.add("loaded");
  image.onerror = () => explain(tile, url);
  image.src = url;
}

// An image element does not tell why it failed, so the address is asked once more.
async function explain(tile, url) {
  let words = "The server cannot be reached.";
  try {
    const answer = await fetch(url);
    words = answer.ok ? "The picture cannot be shown." : await answer.text();
  } catch {
    // The words above hold.
  }
  if (!tile.isConnected || tile.querySelector(".problem")) return;
  tile.querySelector(".frame").append(element("div", "problem", words));
  tile.title += `\n${words}`;
}
