// SPDX-License-Identifier: Apache-2.0
// Sorts and filters the table that is there already. Nothing is made of text: rows are moved and hidden, no more.
const body = document.querySelector("tbody");
const rows = Array.from(body.rows);
const words = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
const controls = document.getElementById("controls");
const filter = document.getElementById("filter");
const shown = document.getElementById("shown");
const none = document.getElementById("none");
const choices = Array.from(controls.querySelectorAll("button"));
let verdict = "";

const show = () => {
  const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const fits = (!verdict || row.dataset.verdict === verdict) && wanted.every((word) => words.get(row).includes(word));
    row.hidden = !fits;
    count += fits ? 1 : 0;
  }
  shown.textContent = `${count} of ${rows.length} shown`;
  none.hidden = count > 0;
};

for (const choice of choices) {
  choice.addEventListener("click", () => {
    verdict = choice.dataset.show;
    for (const each of choices) each.setAttribute("aria-pressed", String(each === choice));
    show();
  });
}
filter.addEventListener("input", show);
controls.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== filter) {
    event.preventDefault();
    filter.focus();
  } else if (event.key === "Escape" && document.activeElement === filter) {
    filter.value = "";
    show();
  }
});

const order = (row, column) => {
  const cell = row.cells[column];
  return "sort" in cell.dataset ? Number(cell.dataset.sort) : cell.textContent.toLowerCase();
};
const headings = Array.from(document.querySelectorAll("thead th"));
headings.forEach((heading, column) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = heading.textContent;
  heading.replaceChildren(button);
  button.addEventListener("click", () => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const each of headings) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const keyed = rows.map((row) => [order(row, column), Number(row.dataset.number), row]);
    keyed.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1) || x - y);
    for (const [, , row] of keyed) body.append(row);
  });
});

// What is folded away would be missing on paper.
let opened = [];
window.addEventListener("beforeprint", () => {
  opened = rows.flatMap((row) => Array.from(row.querySelectorAll("details:not([open])")));
  for (const each of opened) each.open = true;
});
window.addEventListener("afterprint", () => {
  for (const each of opened) each.open = false;
});

controls.hidden = false;
show();
