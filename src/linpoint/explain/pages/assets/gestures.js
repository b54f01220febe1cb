// SPDX-License-Identifier: Apache-2.0
// Moving and zooming the timeline with mouse, fingers and keys; the tooltip and the selection by a click.

const tooltip = byId("tooltip");
const pointers = new Map();
let dragged = false;
let grip = null;

canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (event.shiftKey) {
    scroller.scrollTop += event.deltaY || event.deltaX;
  } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    model.pan(event.deltaX / plotWidth());
  } else {
    model.zoom(Math.exp(event.deltaY * 0.0018), toTime(event.offsetX));
  }
}, { passive: false });

canvas.addEventListener("pointerdown", (event) => {
  pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
  dragged = false;
  grip = holdOn();
  canvas.focus({ preventScroll: true });
});

// What stays under the fingers: the time below their middle, and how far they are apart.
function holdOn() {
  const places = [...pointers.values()];
  const middle = places.reduce((sum, each) => sum + each.x, 0) / places.length;
  const apart = places.length > 1 ? Math.abs(places[0].x - places[1].x) : 0;
  return { x: middle, y: places[0].y, apart, from: model.from, to: model.to, top: scroller.scrollTop };
}

canvas.addEventListener("pointermove", (event) => {
  if (!pointers.has(event.pointerId)) {
    showTooltip(event);
    return;
  }
  pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  const now = holdOn();
  if (Math.abs(now.x - grip.x) + Math.abs(now.y - grip.y) > 4 || now.apart !== grip.apart) dragged = true;
  if (!dragged) return;
  const factor = grip.apart > 0 && now.apart > 0 ? grip.apart / now.apart : 1;
  const width = (grip.to - grip.from) * factor;
  const under = grip.from + ((grip.x - MARGIN) / plotWidth()) * (grip.to - grip.from);
  const from = under - ((now.x - MARGIN) / plotWidth()) * width;
  if (grip.apart === 0) scroller.scrollTop = grip.top - (now.y - grip.y);
  model.setWindow(from, from + width);
  tooltip.hidden = true;
});

function letGo(event) {
  const held = pointers.delete(event.pointerId);
  if (pointers.size > 0) grip = holdOn();
  else if (held && !dragged && event.type === "pointerup") model.select(operationAt(event.offsetX, event.offsetY), { reveal: false });
}

canvas.addEventListener("pointerup", letGo);
canvas.addEventListener("pointercancel", letGo);
canvas.addEventListener("pointerleave", () => { tooltip.hidden = true; });
canvas.addEventListener("dblclick", (event) => model.zoom(0.4, toTime(event.offsetX)));
scroller.addEventListener("scroll", askForFrame);

canvas.addEventListener("keydown", (event) => {
  const moves = {
    ArrowLeft: () => model.pan(-0.15),
    ArrowRight: () => model.pan(0.15),
    ArrowUp: () => { scroller.scrollTop -= LANE; },
    ArrowDown: () => { scroller.scrollTop += LANE; },
    PageUp: () => { scroller.scrollTop -= size.height - LANE; },
    PageDown: () => { scroller.scrollTop += size.height - LANE; },
    Home: () => model.setWindow(extent.first, extent.first + model.to - model.from),
    End: () => model.setWindow(extent.last - (model.to - model.from), extent.last),
  };
  if (!(event.key in moves) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  moves[event.key]();
});

// The operation at a place of the canvas, or -1; small ones can be missed by three pixels.
function operationAt(x, y) {
  const row = Math.floor((y - AXIS + scroller.scrollTop) / LANE);
  if (y < AXIS || x < MARGIN || row < 0 || row >= model.lanes.length) return -1;
  const { ops } = model.lanes[row];
  const after = firstThat(0, ops.length, (at) => toX(calls[ops[at]]) > x + 3);
  if (after === 0) return -1;
  const at = after - 1;
  return toX(endOf(ops, at)) >= x - 3 ? ops[at] : -1;
}

function showTooltip(event) {
  const i = operationAt(event.offsetX, event.offsetY);
  tooltip.hidden = i < 0;
  canvas.style.cursor = i < 0 ? "grab" : "pointer";
  if (i < 0) return;
  const end = returnText(i);
  tooltip.replaceChildren(
    element("strong", cut(label(i), 120)),
    element("span", `process ${columns.lanes[lanesOf[i]]}, ${callText(i)} to ${end === "" ? "…" : end}`),
  );
  const left = Math.min(event.offsetX + 14, size.width - tooltip.offsetWidth - 6);
  tooltip.style.left = `${Math.max(left, 4)}px`;
  tooltip.style.top = `${event.offsetY + scroller.offsetTop + 18}px`;
}

overview.addEventListener("pointerdown", (event) => {
  if (event.isTrusted) overview.setPointerCapture(event.pointerId);
  centreOn(event);
});
overview.addEventListener("pointermove", (event) => { if (event.buttons & 1) centreOn(event); });

function centreOn(event) {
  const time = extent.first + (event.offsetX / overview.clientWidth) * (extent.last - extent.first);
  const half = (model.to - model.from) / 2;
  model.setWindow(time - half, time + half);
}

// Bring the lane of an operation into view.
function revealLane(i) {
  const row = model.lanes.findIndex((each) => each.lane === lanesOf[i]);
  if (row < 0) return;
  const top = row * LANE, room = size.height - AXIS - LANE;
  if (top < scroller.scrollTop || top > scroller.scrollTop + room) scroller.scrollTop = Math.max(0, top - room / 2);
}
