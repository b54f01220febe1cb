// SPDX-License-Identifier: Apache-2.0
// The history as typed arrays, with the words for what they hold. Everything here is made once.

const columns = data.columns;
const count = columns.lane.length;
const OK = 0, FAILED = 1, UNKNOWN = 2;
const NOBODY = -2; // the lane of a crash of a process that has none
const OUTCOMES = ["ok", "failed", "unknown"];

const calls = new Float64Array(count);
const returns = new Float64Array(count); // NaN where an operation never returned
const lanesOf = Int32Array.from(columns.lane);
const namesOf = Int32Array.from(columns.name);
const keysOf = Int32Array.from(columns.key);
const outcomes = Uint8Array.from(columns.outcome);
for (let i = 0; i < count; i++) {
  const end = columns.times.values[count + i];
  calls[i] = columns.times.values[i];
  returns[i] = end === null ? NaN : end;
}

// Marks have their times after those of the operations.
const markTime = (at) => columns.times.values[at] ?? NaN;
const crashes = data.crashes.map((crash) => ({ ...crash, time: markTime(crash.at) }));
const annotations = data.annotations.map((each) => ({ ...each, time: markTime(each.at), until: markTime(each.untilAt) }));

// The operations by their calls. In one lane they do not overlap, but for those whose outcome is unknown.
const byCall = Uint32Array.from({ length: count }, (_, i) => i).sort((a, b) => calls[a] - calls[b] || a - b);

const extent = (() => {
  let last = 0, first = Infinity;
  for (const time of columns.times.values) {
    if (time !== null && time > last) last = time;
    if (time !== null && time < first) first = time;
  }
  if (first === Infinity) first = 0;
  return { first, last: last > first ? last : first + 1 };
})();

const core = new Map(data.core.map(([place, name]) => [place, name]));
const coreOfLane = Map.groupBy(core.keys(), (i) => lanesOf[i]);
const culprit = data.culprit;

function timeText(times, at) {
  const value = times.values[at];
  if (value === null || value === undefined) return "";
  return times.exact ? String(BigInt(times.base) + BigInt(value)) : times.texts[at];
}

const callText = (i) => timeText(columns.times, i);
const returnText = (i) => timeText(columns.times, count + i);
const positionOf = (i) => (columns.position === null ? i : columns.position[i]);
const callWords = (i) => `${columns.names[namesOf[i]]}(${columns.texts[columns.args[i]]})`;
const keyWords = (i) => (keysOf[i] < 0 ? "" : columns.keys[keysOf[i]]);

function resultWords(i) {
  if (outcomes[i] === FAILED) return "failed";
  if (outcomes[i] === UNKNOWN) return "?";
  return columns.result[i] < 0 ? "" : columns.texts[columns.result[i]];
}

function label(i) {
  const result = resultWords(i);
  const name = core.has(i) ? `${core.get(i)} ` : "";
  const key = columns.labelled && keysOf[i] >= 0 ? `[${keyWords(i)}] ` : "";
  return name + key + callWords(i) + (result === "" ? "" : ` → ${result}`);
}

// The first index in [low, high) for which a test holds that holds for all after it.
function firstThat(low, high, test) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
