// SPDX-License-Identifier: Apache-2.0
// The table of keys: sorted by a click on a heading, filtered by text; a click on a key shows that key alone.

const keyField = byId("keys-filter");
const keyRows = new Windowed(byId("keys-rows"), keyCells, (at) => filterKey(keyOrder[at]));
let keyOrder = data.keys.key.map((_, at) => at);
let keySort = { by: "verdict", down: false };

function keyCells(at) {
  const i = keyOrder[at];
  return {
    className: data.keys.verdict[i],
    cells: [data.keys.key[i], data.keys.verdict[i], thousands(data.keys.operations[i]), data.keys.checker[i], data.keys.why[i]],
  };
}

const SEVERITY = { violation: 0, unknown: 1, linearizable: 2 };

function compareKeys(a, b) {
  const column = data.keys[keySort.by];
  const first = keySort.by === "verdict" ? SEVERITY[column[a]] : column[a];
  const second = keySort.by === "verdict" ? SEVERITY[column[b]] : column[b];
  const found = typeof first === "number" ? first - second : first.localeCompare(second, "en", { numeric: true });
  return (keySort.down ? -found : found) || a - b;
}

function showKeys() {
  const text = keyField.value.toLowerCase();
  const fits = (at) => text === "" || `${data.keys.key[at]} ${data.keys.verdict[at]}`.toLowerCase().includes(text);
  keyOrder = data.keys.key.map((_, at) => at).filter(fits).sort(compareKeys);
  byId("keys-count").textContent = thousands(keyOrder.length);
  for (const button of document.querySelectorAll("[data-sort]")) {
    const here = button.dataset.sort === keySort.by;
    button.closest("th").setAttribute("aria-sort", here ? (keySort.down ? "descending" : "ascending") : "none");
  }
  keyRows.current = -1;
  keyRows.setCount(keyOrder.length);
}

if (data.keys.key.length > 1) {
  byId("keys").hidden = false;
  for (const button of document.querySelectorAll("[data-sort]")) {
    button.addEventListener("click", () => {
      keySort = { by: button.dataset.sort, down: keySort.by === button.dataset.sort && !keySort.down };
      showKeys();
    });
  }
  keyField.addEventListener("input", showKeys);
  showKeys();
}
