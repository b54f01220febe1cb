// SPDX-License-Identifier: Apache-2.0
// Filters and the search over the labels of what they leave.

const MOST_OPTIONS = 2000;
const filterFields = { key: byId("filter-key"), process: byId("filter-process"), name: byId("filter-name"), outcome: byId("filter-outcome") };
const searchField = byId("search");
let lowerLabels = null;
let currentMatch = -1;
let searchTimer = 0;

function addOptions(select, texts) {
  texts.slice(0, MOST_OPTIONS).forEach((text, at) => {
    const option = element("option", cut(text, 60));
    option.value = String(at);
    select.append(option);
  });
  if (texts.length > MOST_OPTIONS) {
    const more = element("option", `${thousands(texts.length - MOST_OPTIONS)} more; use the table or the search`);
    more.disabled = true;
    select.append(more);
  }
}

addOptions(filterFields.key, columns.keys);
addOptions(filterFields.process, columns.lanes);
addOptions(filterFields.name, columns.names);
filterFields.key.closest("label").hidden = columns.keys.length < 2;

function applyFilters() {
  const chosen = (select) => (select.value === "" ? -1 : Number(select.value));
  model.setFilter(Object.fromEntries(Object.entries(filterFields).map(([name, select]) => [name, chosen(select)])));
  search();
}

// Show one key; one that is not among the options gets an option of its own.
function filterKey(number) {
  if (![...filterFields.key.options].some((option) => option.value === String(number))) {
    const option = element("option", columns.keys[number]);
    option.value = String(number);
    filterFields.key.append(option);
  }
  filterFields.key.value = String(number);
  applyFilters();
}

function clearFilters() {
  for (const select of Object.values(filterFields)) select.value = "";
  searchField.value = "";
  applyFilters();
}

function search() {
  clearTimeout(searchTimer);
  searchTimer = 0;
  const text = searchField.value.toLowerCase();
  model.matching.fill(0);
  const found = [];
  if (text !== "") {
    lowerLabels ??= Array.from({ length: count }, (_, i) => label(i).toLowerCase());
    for (const i of model.list) {
      if (lowerLabels[i].includes(text)) {
        found.push(i);
        model.matching[i] = 1;
      }
    }
  }
  model.matches = Uint32Array.from(found);
  currentMatch = -1;
  tellMatches();
  model.tell("matches");
}

function tellMatches() {
  const total = model.matches.length;
  const none = searchField.value === "" ? "" : "none";
  byId("matches").textContent = total === 0 ? none : `${currentMatch < 0 ? "" : `${thousands(currentMatch + 1)} of `}${thousands(total)}`;
  byId("match-next").disabled = byId("match-previous").disabled = total === 0;
}

function goToMatch(by) {
  const total = model.matches.length;
  if (total === 0) return;
  currentMatch = currentMatch < 0 ? (by > 0 ? 0 : total - 1) : (currentMatch + by + total) % total;
  tellMatches();
  model.select(model.matches[currentMatch]);
}

function searchSoon() {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(search, 120);
}

byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("filters").addEventListener("reset", (event) => {
  event.preventDefault();
  clearFilters();
});
for (const select of Object.values(filterFields)) select.addEventListener("change", applyFilters);
searchField.addEventListener("input", searchSoon);
searchField.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  if (searchTimer) search();
  goToMatch(event.shiftKey ? -1 : 1);
});
byId("match-next").addEventListener("click", () => goToMatch(1));
byId("match-previous").addEventListener("click", () => goToMatch(-1));
