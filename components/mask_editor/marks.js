// Points, boxes, polygons and the brush's ring, in CSS pixels over the picture.

const POINT_PX = 7;
const GRAB_PX = 11; // how near the pointer takes hold of a point or corner

function ring(pen, [x, y], radius, colour, dark = "rgb(0 0 0 / 70%)") {
  for (const [width, stroke] of [[3, dark], [1.5, colour]]) {
    pen.beginPath();
    pen.arc(x, y, Math.max(1.5, radius), 0, 2 * Math.PI);
    pen.lineWidth = width;
    pen.strokeStyle = stroke;
    pen.stroke();
  }
}

function pointMark(pen, [x, y], { isAnimal, isHovered, colours }) {
  pen.beginPath();
  pen.arc(x, y, isHovered ? POINT_PX + 2 : POINT_PX, 0, 2 * Math.PI);
  pen.fillStyle = isAnimal ? colours.added : colours.removed;
  pen.fill();
  pen.lineWidth = 2;
  pen.strokeStyle = "#fff";
  pen.stroke();
  const cross = isHovered ? Math.PI / 4 : 0; // the sign turns into the cross that deletes it
  for (const angle of isAnimal || isHovered ? [cross, cross + Math.PI / 2] : [0]) {
    const [dx, dy] = [4 * Math.cos(angle), 4 * Math.sin(angle)];
    pen.beginPath();
    pen.moveTo(x - dx, y - dy);
    pen.lineTo(x + dx, y + dy);
    pen.stroke();
  }
}

function lines(pen, places, isClosed) {
  pen.beginPath();
  places.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  if (isClosed) pen.closePath();
  for (const [width, stroke, dash] of [[3, "rgb(0 0 0 / 70%)", []], [1.5, "#fff", [6, 4]]]) {
    pen.setLineDash(dash);
    pen.lineWidth = width;
    pen.strokeStyle = stroke;
    pen.stroke();
  }
  pen.setLineDash([]);
}

function boxMark(pen, [left, top, right, bottom], toStagePlace) {
  const corners = [[left, top], [right, top], [right, bottom], [left, bottom]].map(toStagePlace);
  lines(pen, corners, true);
  for (const corner of corners) cornerMark(pen, corner);
}

function cornerMark(pen, [x, y], isHovered = false) {
  const half = isHovered ? 5 : 3.5;
  pen.fillStyle = "#fff";
  pen.strokeStyle = "rgb(0 0 0 / 80%)";
  pen.lineWidth = 1;
  pen.fillRect(x - half, y - half, 2 * half, 2 * half);
  pen.strokeRect(x - half, y - half, 2 * half, 2 * half);
}

function distance([x1, y1], [x2, y2]) {
  return Math.hypot(x1 - x2, y1 - y2);
}
