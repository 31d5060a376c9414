// What each tool shows over the picture.

function drawTool(pen, editor, toStagePlace) {
  const { session, tool, pointer } = editor;
  const { look } = editor.stage;
  const { points, box } = session.prompts;
  const heldBox = tool.box;
  if (heldBox ?? box) boxMark(pen, heldBox ?? box, toStagePlace);
  points.forEach((point, i) => {
    const moved = tool.held?.index === i && tool.held.native;
    const place = toStagePlace(moved || [point.x, point.y]);
    const isHovered = tool.hovered === i && !moved;
    pointMark(pen, place, { isAnimal: point.isAnimal, isHovered, colours: look });
  });
  if (tool.corners?.length) drawCorners(pen, tool, toStagePlace);
  const isBrush = tool instanceof BrushTool && pointer && !editor.held.has("pan");
  if (isBrush) ring(pen, pointer, editor.brushPx / 2, tool.what === "eraser" ? look.removed : "#fff");
}

function drawCorners(pen, { corners, pointer }, toStagePlace) {
  const places = [...corners, ...(pointer ? [pointer] : [])].map(toStagePlace);
  lines(pen, places, corners.length > 1);
  corners.forEach((corner, i) => {
    const place = toStagePlace(corner);
    const closes = i === 0 && corners.length >= 3 && pointer;
    cornerMark(pen, place, closes && distance(place, toStagePlace(pointer)) <= GRAB_PX);
  });
}
