// SPDX-License-Identifier: Apache-2.0
// A table of any length of which only the visible rows exist; two empty rows stand for those above and below. On paper
// it has its first rows, and says how many there are.

const ROW = 28;
const MOST_PRINTED = 2000;
const SPARE = 6; // rows beyond the visible ones, so that a quick scroll shows no gap

class Windowed {
  // `cells(at)` gives the row: {cells: [text or element], className, chosen}; `choose(at, clicked)` is told of clicks and keys.
  constructor(box, cells, choose) {
    this.box = box;
    this.body = box.querySelector("tbody");
    this.table = box.querySelector("table");
    this.cells = cells;
    this.choose = choose;
    this.count = 0;
    this.current = -1;
    this.asked = false;
    box.addEventListener("scroll", () => this.ask());
    box.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("tr[data-at]");
      if (row) this.go(Number(row.dataset.at), true);
    });
    this.printing = false;
    this.printed = element("p", "", "printed hint");
    box.after(this.printed);
    window.addEventListener("beforeprint", () => this.print(true));
    window.addEventListener("afterprint", () => this.print(false));
    new ResizeObserver(() => this.ask()).observe(box);
  }

  setCount(count) {
    this.count = count;
    this.table.setAttribute("aria-rowcount", String(count + 1));
    this.ask();
  }

  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }

  print(printing) {
    this.printing = printing;
    this.draw();
  }

  // Which rows exist at the moment: from the first to before the last.
  visible() {
    if (this.printing) return [0, Math.min(this.count, MOST_PRINTED)];
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - SPARE);
    return [first, Math.min(this.count, first + Math.ceil(this.box.clientHeight / ROW) + 2 * SPARE)];
  }

  draw() {
    const [first, last] = this.visible();
    this.printed.textContent = last - first < this.count ? `Rows ${thousands(first + 1)} to ${thousands(last)} of ${thousands(this.count)}.` : "";
    const rows = [this.space(first)];
    for (let at = first; at < last; at++) rows.push(this.row(at));
    rows.push(this.space(this.count - last));
    this.body.replaceChildren(...rows);
  }

  space(rows) {
    const row = element("tr");
    row.setAttribute("aria-hidden", "true");
    row.className = "space";
    row.style.height = `${rows * ROW}px`;
    return row;
  }

  row(at) {
    const { cells, className } = this.cells(at);
    const row = element("tr", undefined, className);
    row.dataset.at = String(at);
    row.setAttribute("aria-rowindex", String(at + 2));
    if (at === this.current) row.setAttribute("aria-current", "true");
    for (const cell of cells) {
      const made = element("td", cell);
      if (cell.length > 24) made.title = cell;
      row.append(made);
    }
    return row;
  }

  // Make a row the current one and bring it into view.
  show(at) {
    this.current = at;
    if (at >= 0) {
      const head = this.table.tHead.offsetHeight;
      const top = at * ROW, room = this.box.clientHeight - head - ROW;
      if (top < this.box.scrollTop || top > this.box.scrollTop + room) this.box.scrollTop = Math.max(0, top - room / 2);
    }
    this.ask();
  }

  go(at, clicked = false) {
    if (at < 0 || at >= this.count) return;
    this.show(at);
    this.choose(at, clicked);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 2);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.count, End: this.count };
    if (!(event.key in moves) || event.target !== this.box) return;
    event.preventDefault();
    this.go(Math.max(0, Math.min(this.count - 1, this.current + moves[event.key])));
  }
}
