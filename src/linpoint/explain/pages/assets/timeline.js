// SPDX-License-Identifier: Apache-2.0
// The timeline on a canvas. Only what is visible is drawn: a binary search finds the first operation of each lane, and
// operations that share a pixel are drawn as one. Cost of a frame: O(visible lanes x width), whatever the history's length.

const canvas = byId("canvas");
const scroller = byId("lanes");
const LANE = 28, BAR = 18, AXIS = 30, THIN = 2;
const MARGIN = Math.min(150, 22 + 7 * Math.max(1, ...columns.lanes.slice(0, 2000).map((name) => Math.min(name.length, 18))));
const LETTER = 6.7;

let palette = {};
let size = { width: 0, height: 0 };
let asked = false;

// Colours of the style sheet, resolved for the theme of the moment.
function readPalette() {
  const probe = element("i");
  document.body.append(probe);
  const read = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const names = ["ink", "muted", "line", "card", "accent", "red", "red-soft", "many", "fault", "fault-ink", "match", "failed"];
  palette = Object.fromEntries(names.map((name) => [name, read(name)]));
  palette.ops = Array.from({ length: 6 }, (_, at) => read(`op-${at}`));
  palette.opInk = read("op-ink");
  probe.remove();
}

function resizeCanvas() {
  const ratio = window.devicePixelRatio || 1;
  const height = Math.min(Math.max(model.lanes.length, 1) * LANE + AXIS + 4, Math.max(240, window.innerHeight * 0.55));
  scroller.style.height = `${height}px`;
  size = { width: scroller.clientWidth, height: scroller.clientHeight };
  canvas.width = Math.round(size.width * ratio);
  canvas.height = Math.round(size.height * ratio);
  canvas.style.width = `${size.width}px`;
  canvas.style.height = `${size.height}px`;
  byId("lanes-height").style.height = `${Math.max(0, model.lanes.length * LANE + AXIS - size.height)}px`;
  askForFrame();
}

function askForFrame() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    drawTimeline();
    drawOverview();
  });
}

const plotWidth = () => Math.max(size.width - MARGIN, 1);
const toX = (time) => MARGIN + ((time - model.from) / (model.to - model.from)) * plotWidth();
const toTime = (x) => model.from + ((x - MARGIN) / plotWidth()) * (model.to - model.from);

// Where the bar of an operation ends; one whose outcome is unknown may go on until its process calls again.
function endOf(ops, at) {
  const i = ops[at];
  if (outcomes[i] !== UNKNOWN) return Number.isNaN(returns[i]) ? calls[i] : returns[i];
  return at + 1 < ops.length ? calls[ops[at + 1]] : Infinity;
}

function drawTimeline() {
  const ratio = window.devicePixelRatio || 1;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  context.font = "11px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
  context.textBaseline = "middle";
  context.save();
  context.beginPath();
  context.rect(0, AXIS, size.width, size.height - AXIS);
  context.clip();
  const first = Math.floor(scroller.scrollTop / LANE);
  const last = Math.min(model.lanes.length, first + Math.ceil((size.height - AXIS) / LANE) + 1);
  drawBands(context);
  let visible = 0;
  for (let row = first; row < last; row++) visible += drawLane(context, row);
  drawCrashes(context, first, last);
  context.restore();
  drawAxis(context);
  byId("range").textContent = rangeWords(visible, first, last);
}

const rowTop = (row) => AXIS + row * LANE - scroller.scrollTop;

function drawLane(context, row) {
  const { lane, ops } = model.lanes[row];
  const top = rowTop(row), y = top + (LANE - BAR) / 2;
  context.fillStyle = palette.line;
  context.fillRect(MARGIN, top + LANE / 2, plotWidth(), 1);
  const visible = drawBars(context, ops, y);
  context.fillStyle = palette.card;
  context.fillRect(0, top, MARGIN - 6, LANE);
  context.fillStyle = palette.muted;
  context.textAlign = "right";
  context.fillText(cut(columns.lanes[lane], 18), MARGIN - 12, top + LANE / 2);
  context.textAlign = "left";
  return visible;
}

function drawBars(context, ops, y) {
  const start = firstThat(0, ops.length, (at) => endOf(ops, at) >= model.from);
  const stop = firstThat(start, ops.length, (at) => calls[ops[at]] > model.to);
  const special = [];
  let runFrom = -1, runTo = -1;
  const flush = () => {
    if (runFrom >= 0) context.fillRect(runFrom, y + 3, Math.max(runTo - runFrom, 1), BAR - 6);
    runFrom = -1;
  };
  let at = start;
  context.fillStyle = palette.many;
  while (at < stop) {
    const x = toX(calls[ops[at]]), end = toX(endOf(ops, at));
    if (end - x < THIN) {
      // Everything called within this pixel is one with it.
      const next = firstThat(at + 1, stop, (each) => toX(calls[ops[each]]) >= x + 1);
      const until = Math.max(x + 1, toX(endOf(ops, next - 1)));
      if (x - runTo > 1) flush();
      if (runFrom < 0) runFrom = x;
      runTo = Math.min(until, size.width);
      at = next;
      continue;
    }
    special.push(at);
    at++;
  }
  flush();
  for (const each of special) drawBar(context, ops[each], endOf(ops, each), y);
  for (const i of highlighted(ops, start, stop)) drawHighlight(context, i, y);
  return stop - start;
}

// Those of the lane that must be seen however small they are.
function highlighted(ops, start, stop) {
  if (start >= stop) return [];
  const lane = lanesOf[ops[start]];
  const pointed = [model.selected, model.step].filter((i) => i >= 0 && lanesOf[i] === lane);
  const wanted = new Set([...(coreOfLane.get(lane) ?? []), ...pointed]);
  return [...wanted].filter((i) => model.shown[i] && calls[i] <= model.to);
}

function drawBar(context, i, end, y) {
  const x = Math.max(toX(calls[i]), MARGIN - 4), right = Math.min(toX(end), size.width + 4);
  const width = Math.max(right - x, 1);
  if (outcomes[i] === FAILED) {
    context.strokeStyle = palette.failed;
    context.setLineDash([3, 3]);
    context.strokeRect(x + 0.5, y + 0.5, width - 1, BAR - 1);
    context.setLineDash([]);
  } else if (outcomes[i] === UNKNOWN) {
    drawUnknown(context, i, x, right, y);
  } else {
    context.fillStyle = core.has(i) ? palette["red-soft"] : palette.ops[namesOf[i] % palette.ops.length];
    context.fillRect(x, y, width, BAR);
  }
  if (model.matching[i]) {
    context.fillStyle = palette.match;
    context.fillRect(x, y + BAR - 3, width, 3);
  }
  const letters = Math.floor((width - 8) / LETTER);
  if (letters >= 3) {
    context.fillStyle = outcomes[i] === FAILED ? palette.failed : core.has(i) ? palette.ink : palette.opInk;
    context.fillText(cut(label(i), letters), x + 4, y + BAR / 2 + 0.5);
  }
}

// Solid while it is known to be open, then fading: it may take effect at any later time.
function drawUnknown(context, i, x, right, y) {
  const known = Number.isNaN(returns[i]) ? x : Math.max(x, Math.min(toX(returns[i]), right));
  const gone = Math.min(right, known + 160);
  const colour = core.has(i) ? palette["red-soft"] : palette.ops[namesOf[i] % palette.ops.length];
  if (known > x) {
    context.fillStyle = colour;
    context.fillRect(x, y, known - x, BAR);
  }
  const fade = context.createLinearGradient(known, 0, Math.max(gone, known + 1), 0);
  fade.addColorStop(0, colour);
  fade.addColorStop(1, colour.replace("rgb(", "rgba(").replace(")", ", 0)"));
  context.fillStyle = fade;
  context.fillRect(known, y, gone - known, BAR);
  context.strokeStyle = palette.muted;
  context.setLineDash([2, 4]);
  context.beginPath();
  context.moveTo(Math.min(right, Math.max(known, x + 8 + label(i).length * LETTER)), y + BAR / 2); // past its label
  context.lineTo(right, y + BAR / 2);
  context.stroke();
  context.setLineDash([]);
}

function drawHighlight(context, i, y) {
  const end = outcomes[i] === UNKNOWN || Number.isNaN(returns[i]) ? calls[i] : returns[i];
  const x = toX(calls[i]), right = Math.max(toX(end), x + (outcomes[i] === UNKNOWN ? 14 : 4));
  if (right < MARGIN || x > size.width) return;
  if (core.has(i)) {
    if (right - x < 12) {
      context.fillStyle = palette.red;
      context.fillRect(x, y, right - x, BAR);
    } else if (i === culprit) {
      context.fillStyle = palette.red;
      context.fillRect(x, y, 4, BAR);
    }
    context.strokeStyle = palette.red;
    context.lineWidth = i === culprit ? 2.5 : 1.5;
    context.strokeRect(x, y, right - x, BAR);
  }
  if (i === model.selected || i === model.step) {
    context.strokeStyle = palette.accent;
    context.lineWidth = 2;
    context.setLineDash(i === model.step && i !== model.selected ? [4, 2] : []);
    context.strokeRect(x - 2, y - 2, right - x + 4, BAR + 4);
    context.setLineDash([]);
  }
  context.lineWidth = 1;
}

function drawBands(context) {
  for (const each of annotations) {
    const until = Number.isNaN(each.until) ? each.time : each.until;
    if (until < model.from || each.time > model.to) continue;
    const x = Math.max(toX(each.time), MARGIN);
    context.fillStyle = palette.fault;
    context.fillRect(x, AXIS, Math.max(Math.min(toX(until), size.width) - x, 1.5), size.height);
  }
}

function drawCrashes(context, first, last) {
  context.strokeStyle = palette.red;
  context.setLineDash([6, 4]);
  for (const crash of crashes) {
    const x = toX(crash.time);
    if (x < MARGIN || x > size.width || crash.lane === NOBODY) continue;
    let top = AXIS, bottom = size.height;
    if (crash.lane >= 0) {
      const row = model.lanes.findIndex((each) => each.lane === crash.lane);
      if (row < first || row >= last) continue;
      top = rowTop(row);
      bottom = top + LANE;
    }
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    context.stroke();
  }
  context.setLineDash([]);
}

const cut = (text, letters) => (text.length <= letters ? text : `${text.slice(0, Math.max(letters - 1, 1))}…`);
