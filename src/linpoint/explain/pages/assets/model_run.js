// SPDX-License-Identifier: Apache-2.0
// Stepping through the run of a model: what is in memory after each step, where processes are, what the spec may be in.
// Stage 0 is before the first step. The page is written as it is at the last one.

const stages = data.stages;
const lastStage = stages.length - 1;
const runRows = [...document.querySelectorAll("#run tr[data-at]")];
let stageAt = lastStage;

// Rows of a table: a name, what is said of it, and whether it has changed.
function fillPairs(body, rows) {
  body.replaceChildren(...rows.map(([name, told, changed]) => {
    const row = element("tr", undefined, changed ? "changed" : "");
    const head = element("th", name);
    head.scope = "row";
    row.append(head, element("td", told));
    return row;
  }));
}

function showStage() {
  const stage = stages[stageAt];
  const [first, last] = stage.rows;
  for (const row of runRows) {
    const at = Number(row.dataset.at);
    row.classList.toggle("run-now", at >= first && at <= last && stageAt > 0);
    row.classList.toggle("run-later", at > last && stageAt < lastStage);
  }
  byId("run-at").textContent = `Step ${thousands(stageAt)} of ${thousands(lastStage)}`;
  byId("run-said").textContent = stage.said;
  byId("run-said").classList.toggle("wrong", stageAt === lastStage);
  fillPairs(byId("run-memory"), stage.memory);
  fillPairs(byId("run-waiting"), stage.waiting.length > 0 ? stage.waiting : [["none", "", false]]);
  fillPairs(byId("run-processes"), stage.processes);
  byId("run-survivors").replaceChildren(...stage.survivors.map((each) => element("li", each)));
  byId("run-spec").hidden = stage.survivors.length === 0;
  for (const id of ["run-first", "run-previous"]) byId(id).disabled = stageAt === 0;
  for (const id of ["run-next", "run-last"]) byId(id).disabled = stageAt === lastStage;
}

function goToStage(at) {
  stageAt = Math.max(0, Math.min(lastStage, at));
  showStage();
  const row = runRows.find((each) => Number(each.dataset.at) >= stages[stageAt].rows[0]);
  row?.scrollIntoView({ block: "nearest", behavior: "instant" });
}

const MOVES = {
  "run-first": () => goToStage(0),
  "run-previous": () => goToStage(stageAt - 1),
  "run-next": () => goToStage(stageAt + 1),
  "run-last": () => goToStage(lastStage),
};
for (const [id, move] of Object.entries(MOVES)) byId(id).addEventListener("click", move);
Object.assign(SHORTCUTS, { f: MOVES["run-first"], p: MOVES["run-previous"], n: MOVES["run-next"], l: MOVES["run-last"] });

document.querySelector("#run .trace-table")?.addEventListener("click", (event) => {
  const row = event.target.closest("tr[data-at]");
  if (!row) return;
  const at = Number(row.dataset.at);
  const found = stages.findIndex(({ rows: [first, last] }) => at >= first && at <= last);
  goToStage(found < 0 ? lastStage : found);
});

showStage();
