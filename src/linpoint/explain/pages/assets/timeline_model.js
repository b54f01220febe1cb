// SPDX-License-Identifier: Apache-2.0
// What is shown at the moment: the window of time, the filter, the selection. Whoever draws listens here.

const MANY_LANES = 16;

const model = {
  from: extent.first,
  to: extent.last,
  selected: -1,
  step: -1, // the operation of the current step
  matches: new Uint32Array(0),
  matching: new Uint8Array(count),
  shown: new Uint8Array(count).fill(1),
  list: Uint32Array.from({ length: count }, (_, i) => i), // what is shown, in the order of the file
  lanes: [], // {lane, ops}: ops by their calls
  listeners: { window: [], filter: [], selection: [], matches: [] },

  on(events, listener) {
    for (const event of events.split(" ")) this.listeners[event].push(listener);
  },

  tell(event) {
    for (const listener of this.listeners[event]) listener();
  },

  setWindow(from, to) {
    const span = extent.last - extent.first;
    const least = Math.max(span * 1e-9, Number.MIN_VALUE);
    const width = Math.min(Math.max(to - from, least), span * 1.1);
    const middle = (from + to) / 2;
    const low = extent.first - span * 0.05;
    const start = Math.min(Math.max(middle - width / 2, low), extent.last + span * 0.05 - width);
    this.from = start;
    this.to = start + width;
    this.tell("window");
  },

  zoom(factor, at = (this.from + this.to) / 2) {
    this.setWindow(at - (at - this.from) * factor, at + (this.to - at) * factor);
  },

  pan(part) {
    const by = (this.to - this.from) * part;
    this.setWindow(this.from + by, this.to + by);
  },

  fit() {
    const margin = (extent.last - extent.first) * 0.02;
    this.setWindow(extent.first - margin, extent.last + margin);
  },

  // A window around some operations, with as much again on both sides.
  fitTo(places) {
    let from = Infinity, to = -Infinity;
    for (const i of places) {
      from = Math.min(from, calls[i]);
      to = Math.max(to, calls[i], Number.isNaN(returns[i]) ? calls[i] : returns[i]);
    }
    if (from > to) return;
    const margin = Math.max((to - from) * 0.15, (extent.last - extent.first) * 1e-4);
    this.setWindow(from - margin, to + margin);
  },

  select(i, { reveal = true } = {}) {
    this.selected = i;
    if (i >= 0 && reveal) this.reveal(i);
    this.tell("selection");
  },

  reveal(i) {
    const end = Number.isNaN(returns[i]) ? calls[i] : returns[i];
    if (calls[i] >= this.from && end <= this.to) return;
    const width = Math.max(this.to - this.from, (end - calls[i]) * 1.5);
    this.setWindow((calls[i] + end) / 2 - width / 2, (calls[i] + end) / 2 + width / 2);
  },

  setFilter({ key, process, name, outcome }) {
    const list = new Uint32Array(count);
    let size = 0;
    for (let i = 0; i < count; i++) {
      const fits = (key < 0 || keysOf[i] === key) && (process < 0 || lanesOf[i] === process)
        && (name < 0 || namesOf[i] === name) && (outcome < 0 || outcomes[i] === outcome);
      this.shown[i] = fits ? 1 : 0;
      if (fits) list[size++] = i;
    }
    this.list = list.slice(0, size);
    this.arrange();
    this.tell("filter");
  },

  // Lanes with something to show, each with its operations by call: a counting sort, one pass over all.
  arrange() {
    const sizes = new Uint32Array(columns.lanes.length);
    for (const i of this.list) sizes[lanesOf[i]]++;
    const lanes = Array.from(sizes, (size, lane) => ({ lane, ops: new Uint32Array(size) }));
    const filled = new Uint32Array(sizes.length);
    for (const i of byCall) {
      if (this.shown[i]) lanes[lanesOf[i]].ops[filled[lanesOf[i]]++] = i;
    }
    this.lanes = lanes.filter((each) => each.ops.length > 0);
    // Of more lanes than can be seen at once, those of the minimal history come first.
    const rank = (each) => (coreOfLane.has(each.lane) ? 0 : 1);
    if (this.lanes.length > MANY_LANES) this.lanes.sort((a, b) => rank(a) - rank(b) || a.lane - b.lane);
  },
};

model.arrange();
