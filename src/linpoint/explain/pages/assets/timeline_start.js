// SPDX-License-Identifier: Apache-2.0
// The keys and buttons of the timeline; and the first picture.

function jump() {
  if (core.size === 0) return;
  if ([...core.keys()].some((i) => !model.shown[i])) clearFilters();
  model.fitTo(core.keys());
  model.select(culprit >= 0 ? culprit : [...core.keys()].at(-1), { reveal: false });
  byId("timeline").scrollIntoView({ block: "start", behavior: "instant" });
}

function showOnTimeline(i) {
  if (!model.shown[i]) clearFilters();
  model.select(i);
  document.querySelector(".plot").scrollIntoView({ block: "nearest", behavior: "instant" });
}

Object.assign(SHORTCUTS, {
  v: jump,
  n: () => goToStep(stepAt + 1),
  p: () => goToStep(stepAt - 1),
  f: () => model.fit(),
  "+": () => model.zoom(0.7),
  "=": () => model.zoom(0.7),
  "-": () => model.zoom(1 / 0.7),
  "/": () => searchField.focus(),
  Escape: () => model.select(-1),
});

document.addEventListener("click", (event) => {
  const bar = event.target.closest("[data-op]");
  if (bar && Number(bar.dataset.op) >= 0) showOnTimeline(Number(bar.dataset.op));
});

byId("jump").addEventListener("click", jump);
byId("zoom-in").addEventListener("click", () => model.zoom(0.7));
byId("zoom-out").addEventListener("click", () => model.zoom(1 / 0.7));
byId("fit").addEventListener("click", () => model.fit());
themed.push(readPalette, askForFrame);

model.on("window matches selection", askForFrame);
model.on("filter", () => { density = null; resizeCanvas(); showOperations(); });
model.on("selection", () => {
  if (model.selected >= 0) revealLane(model.selected);
  operationRows.show(rowOf(model.selected));
  showSelected();
});
new ResizeObserver(resizeCanvas).observe(scroller.parentElement);

byId("jump").hidden = core.size === 0;
for (const each of document.querySelectorAll(".for-violation")) each.hidden = core.size === 0;
tellMatches();
readPalette();
resizeCanvas();
if (core.size > 0) model.fitTo(core.keys());
else model.fit();
showOperations();
drawTimeline();
drawOverview();
