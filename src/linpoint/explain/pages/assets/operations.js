// SPDX-License-Identifier: Apache-2.0
// The table of operations, which follows the filters, and the panel with all fields of the selected one.

const operationRows = new Windowed(byId("operations-rows"), operationCells, (at, clicked) => {
  if (clicked) showOnTimeline(model.list[at]);
  else model.select(model.list[at]); // whoever goes through the table with keys stays in it
});

function operationCells(at) {
  const i = model.list[at];
  const line = columns.line === null ? "" : columns.line[i];
  const name = core.has(i) ? `${core.get(i)} ` : "";
  return {
    className: [core.has(i) ? "core" : "", i === culprit ? "culprit" : "", OUTCOMES[outcomes[i]]].join(" ").trim(),
    cells: [
      `${positionOf(i)}`, columns.lanes[lanesOf[i]], name + callWords(i), resultWords(i), keyWords(i),
      callText(i), returnText(i) || "…", line === null ? "" : `${line}`,
    ],
  };
}

// Where an operation is in the list, or -1 where the filters hide it; the list is in ascending order.
function rowOf(i) {
  const at = firstThat(0, model.list.length, (each) => model.list[each] >= i);
  return i >= 0 && model.list[at] === i ? at : -1;
}

function showOperations() {
  const shown = model.list.length === count ? thousands(count) : `${thousands(model.list.length)} of ${thousands(count)}`;
  byId("operations-count").textContent = shown;
  operationRows.setCount(model.list.length);
  operationRows.show(rowOf(model.selected));
}

function showSelected() {
  const i = model.selected;
  const panel = byId("selected");
  if (i < 0) {
    panel.replaceChildren(element("p", "Select an operation to see its details.", "hint"));
    return;
  }
  const fields = [
    ["Operation", label(i)],
    ["Process", columns.lanes[lanesOf[i]]],
    ["Outcome", OUTCOMES[outcomes[i]]],
    ["Key", keyWords(i)],
    ["Called", callText(i)],
    ["Returned", returnText(i) || "never"],
    ["Clock", clockWords(i)],
    ["Order", columns.order === null ? "" : columns.order[i] ?? ""],
    ["Line", columns.line === null ? "" : `${columns.line[i] ?? ""}`],
    ["Position", `${positionOf(i)}`],
  ];
  const list = element("dl");
  for (const [name, text] of fields) {
    if (text === "") continue;
    const pair = element("div");
    pair.append(element("dt", name), element("dd", text));
    list.append(pair);
  }
  panel.replaceChildren(list);
  if (i === culprit) panel.append(element("p", "No valid order gives this operation its result.", "does-not-fit"));
}

function clockWords(i) {
  if (columns.clock === undefined) return "";
  const from = timeText(columns.clock, i), to = timeText(columns.clock, count + i);
  return from === "" && to === "" ? "" : `${from || "?"} to ${to || "?"}`;
}
