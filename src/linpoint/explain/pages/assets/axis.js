// SPDX-License-Identifier: Apache-2.0
// The scale above the lanes, the names of faults and crashes in it, and what the window shows in words.

function niceStep(span, ticks) {
  const rough = span / ticks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  return (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
}

function drawAxis(context) {
  context.fillStyle = palette.card;
  context.fillRect(0, 0, size.width, AXIS - 1);
  context.fillStyle = palette.line;
  context.fillRect(0, AXIS - 1, size.width, 1);
  context.fillStyle = palette.muted;
  if (!columns.times.ranked) drawTicks(context);
  drawNames(context);
}

function drawTicks(context) {
  const step = Math.max(niceStep(model.to - model.from, Math.max(plotWidth() / 130, 2)), columns.times.exact ? 1 : 0);
  const shift = tickBase() % step;
  for (let time = Math.ceil((model.from + shift) / step) * step - shift; time <= model.to; time += step) {
    const x = toX(time);
    if (x < MARGIN || x > size.width - 30) continue;
    context.fillRect(x, AXIS - 6, 1, 6);
    context.fillText(tickText(time, step), x + 3, AXIS - 9);
  }
}

// Small times are shown as they are, others as a distance from the first one.
function tickBase() {
  const base = columns.times.exact ? Number(columns.times.base) : 0;
  return Math.abs(base) < 1e9 ? base : 0;
}

function tickText(time, step) {
  const digits = step >= 1 ? 0 : Math.min(12, Math.ceil(-Math.log10(step)));
  const rounded = (tickBase() + time).toLocaleString("en-US", { maximumFractionDigits: digits });
  const shown = rounded === "-0" ? "0" : rounded;
  return Number(columns.times.base) === tickBase() || shown.startsWith("-") ? shown : `+${shown}`;
}

// Names of faults and crashes, as far as they do not overlap.
function drawNames(context) {
  const marks = [...annotations, ...crashes].filter((each) => (each.until >= each.time ? each.until : each.time) >= model.from && each.time <= model.to);
  marks.sort((a, b) => a.time - b.time);
  let free = MARGIN;
  for (const mark of marks) {
    const x = Math.max(toX(mark.time), MARGIN);
    const text = cut(mark.text, 28);
    if (x < free) continue;
    const width = text.length * LETTER + 8;
    context.fillStyle = palette["fault-ink"];
    context.fillRect(x, 2, 1.5, AXIS - 3);
    context.fillText(text, x + 4, 8);
    free = x + width;
  }
}

function rangeWords(visible, first, last) {
  if (count === 0) return "The history has no operations.";
  if (model.list.length === 0) return "No operation matches the filters.";
  const lanes = model.lanes.length;
  const rows = lanes > last - first ? ` Lanes ${first + 1} to ${last} of ${thousands(lanes)}.` : "";
  const step = (model.to - model.from) / 1000;
  // Times that are too far apart have ranks, which are no times to speak of.
  const where = columns.times.ranked ? "drawn by order of times, not to scale" : `from ${tickText(model.from, step)} to ${tickText(model.to, step)}`;
  return `${thousands(visible)} of ${thousands(data.total)} operations, ${where}.${rows}`;
}

// The overview: how many operations are open at each moment, where the minimal history is, and the window.

const overview = byId("overview");
let density = null;

function drawOverview() {
  const ratio = window.devicePixelRatio || 1;
  const width = overview.clientWidth, height = 40;
  if (width === 0) return;
  if (density === null || density.length !== width) density = measureDensity(width);
  overview.width = Math.round(width * ratio);
  overview.height = Math.round(height * ratio);
  const context = overview.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const most = density.reduce((a, b) => Math.max(a, b), 1);
  context.fillStyle = palette.many;
  density.forEach((size, x) => context.fillRect(x, height - 2 - (size / most) * (height - 8), 1, (size / most) * (height - 8)));
  context.fillStyle = palette.fault;
  for (const each of annotations) {
    const until = Number.isNaN(each.until) ? each.time : each.until;
    context.fillRect(overviewX(each.time), 0, Math.max(overviewX(until) - overviewX(each.time), 2), height);
  }
  context.fillStyle = palette.red;
  for (const i of core.keys()) if (model.shown[i]) context.fillRect(overviewX(calls[i]) - 1, 0, 3, height);
  for (const crash of crashes) context.fillRect(overviewX(crash.time), 0, 1, height);
  context.fillStyle = palette.accent;
  if (model.selected >= 0) context.fillRect(overviewX(calls[model.selected]) - 1, 0, 2, height);
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  const left = Math.max(overviewX(model.from), 1), right = Math.min(overviewX(model.to), width - 1);
  context.strokeRect(left, 1, Math.max(right - left, 3), height - 2);
}

const overviewX = (time) => ((time - extent.first) / (extent.last - extent.first)) * overview.clientWidth;

function measureDensity(width) {
  const found = new Float64Array(width);
  const scale = (width - 1) / (extent.last - extent.first);
  for (const i of model.list) found[Math.max(0, Math.min(width - 1, Math.round((calls[i] - extent.first) * scale)))]++;
  return found;
}
