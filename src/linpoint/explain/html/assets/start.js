// SPDX-License-Identifier: Apache-2.0
// Theme, copying, saving, keys of the whole page; and the first picture.

const wantsDark = window.matchMedia("(prefers-color-scheme: dark)");
let theme = null; // what the user chose, for as long as the page is open

function isDark() {
  return theme === null ? wantsDark.matches : theme === "dark";
}

function applyTheme() {
  if (theme !== null) document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-pressed", String(isDark()));
  readPalette();
  askForFrame();
}

function switchTheme() {
  theme = isDark() ? "light" : "dark";
  applyTheme();
}

async function copy(button) {
  const source = byId(button.dataset.copy);
  let copied = true;
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    // Without permission to write: the old way, which needs a selection. If that fails too, the selection is left.
    const range = document.createRange();
    range.selectNodeContents(source);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    copied = document.execCommand("copy");
  }
  button.textContent = copied ? "Copied" : "Not copied";
  byId("announced").textContent = copied ? "Copied." : "Not copied. The text is selected: copy it with the keyboard.";
  setTimeout(() => {
    button.textContent = "Copy";
    byId("announced").textContent = "";
  }, 3000);
}

function save(button) {
  const file = data.downloads[Number(button.dataset.download)];
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([file.text], { type: file.type }));
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

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

function openHelp() {
  if (!byId("help").open) byId("help").showModal();
}

const SHORTCUTS = {
  v: jump,
  n: () => goToStep(stepAt + 1),
  p: () => goToStep(stepAt - 1),
  f: () => model.fit(),
  t: switchTheme,
  "+": () => model.zoom(0.7),
  "=": () => model.zoom(0.7),
  "-": () => model.zoom(1 / 0.7),
  "?": openHelp,
  "/": () => searchField.focus(),
  Escape: () => model.select(-1),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  if (typing || byId("help").open || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(SHORTCUTS, event.key)) return;
  event.preventDefault();
  SHORTCUTS[event.key]();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.copy) copy(button);
  else if (button?.dataset.download) save(button);
  else {
    const bar = event.target.closest("[data-op]");
    if (bar && Number(bar.dataset.op) >= 0) showOnTimeline(Number(bar.dataset.op));
  }
});

byId("theme").addEventListener("click", switchTheme);
byId("help-open").addEventListener("click", openHelp);
byId("jump").addEventListener("click", jump);
byId("zoom-in").addEventListener("click", () => model.zoom(0.7));
byId("zoom-out").addEventListener("click", () => model.zoom(1 / 0.7));
byId("fit").addEventListener("click", () => model.fit());
wantsDark.addEventListener("change", applyTheme);

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
applyTheme();
resizeCanvas();
if (core.size > 0) model.fitTo(core.keys());
else model.fit();
showOperations();
drawTimeline();
drawOverview();
document.documentElement.dataset.ready = String(Math.round(performance.now()));
