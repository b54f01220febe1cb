// SPDX-License-Identifier: Apache-2.0
// Stepping through an order, with the state of the spec after each step. Step 0 is the first state, or the one that the
// steps led to that are left out; after the last step of a longest legal order comes what cannot follow it.

const ABSENT = -1; // the place of an operation that is not on the page; a crash is less than that
const orderField = byId("order");
const stepRows = new Windowed(byId("step-rows"), stepCells, (at) => goToStep(at));
let order = null;
let stepAt = -1;

const lastStep = () => order.steps.length + (order.blocked.length > 0 ? 1 : 0);

function stepCells(at) {
  const number = thousands(order.before + at);
  if (at === 0) return { cells: [number, "", order.before > 0 ? "after the omitted steps" : "initial", order.first], className: "" };
  if (at > order.steps.length) return { cells: ["✕", "", blockedWords(), "none of these can come next"], className: "culprit" };
  const [i, state] = order.steps[at - 1];
  if (i < 0) return { cells: [number, "", i === ABSENT ? "not on this page" : "", state], className: "" };
  return { cells: [number, columns.lanes[lanesOf[i]], label(i), state], className: core.has(i) ? "core" : "" };
}

const blockedWords = () => order.blocked.map(([i]) => (i < 0 ? "?" : label(i))).join(", ");

function stepWords() {
  if (stepAt < 0) return "Step through the order with Next and Previous, or with the keys n and p.";
  if (stepAt === 0) {
    return `${order.before > 0 ? `State after the first ${thousands(order.before)} steps` : "Initial state"}: ${order.first}.`;
  }
  if (stepAt > order.steps.length) {
    return order.blocked.map(([i, why]) => `${i < 0 ? "?" : label(i)} cannot come next: ${why}.`).join(" ");
  }
  const [i, state] = order.steps[stepAt - 1];
  if (i === ABSENT) return `An operation that is not on this page. State after it: ${state}.`;
  return i < 0 ? state : `${label(i)} by process ${columns.lanes[lanesOf[i]]}. State after it: ${state}.`;
}

function goToStep(at) {
  if (order === null) return;
  stepAt = Math.max(0, Math.min(lastStep(), at));
  const blocked = stepAt > order.steps.length ? order.blocked.map(([i]) => i) : [];
  const i = blocked.length > 0 ? blocked[0] : stepAt > 0 ? order.steps[stepAt - 1][0] : -1;
  model.step = i;
  if (i >= 0 && model.shown[i]) model.reveal(i);
  if (i >= 0) revealLane(i);
  pointAt(i, new Set(order.steps.slice(0, stepAt).map(([place]) => place)), new Set(blocked));
  stepRows.show(stepAt);
  showStep();
  model.tell("matches");
}

// In every drawing of the operations: where the step is, and what has come before it.
function pointAt(i, done, blocked) {
  for (const bar of document.querySelectorAll("[data-op].op")) {
    const place = Number(bar.dataset.op);
    bar.classList.toggle("now", place === i);
    bar.classList.toggle("done", done.has(place) && place !== i);
    bar.classList.toggle("blocked", blocked.has(place));
  }
}

function showStep() {
  const said = byId("step-said");
  said.textContent = stepWords();
  said.classList.toggle("does-not-fit", stepAt > order.steps.length);
  byId("step-previous").disabled = stepAt <= 0;
  byId("step-next").disabled = stepAt >= lastStep();
}

// A title begins with a word of ours; further on there may be a key, which stays as it is.
const withoutCapital = (title) => title.charAt(0).toLowerCase() + title.slice(1);

function chooseOrder() {
  order = data.orders[Number(orderField.value)];
  stepAt = -1;
  byId("step-note").textContent = order.note;
  stepRows.current = -1;
  stepRows.setCount(lastStep() + 1);
  showStep();
}

if (data.orders.length > 0) {
  byId("steps").hidden = false;
  data.orders.forEach((each, at) => {
    const option = element("option", each.title);
    option.value = String(at);
    orderField.append(option);
  });
  byId("order-label").hidden = data.orders.length < 2;
  if (data.orders.length < 2) byId("steps-title").textContent = `Steps: ${withoutCapital(data.orders[0].title)}`;
  const drawing = document.querySelector("#verdict svg.drawing");
  if (drawing) byId("step-drawing").append(drawing.cloneNode(true));
  orderField.addEventListener("change", chooseOrder);
  byId("step-next").addEventListener("click", () => goToStep(stepAt + 1));
  byId("step-previous").addEventListener("click", () => goToStep(stepAt - 1));
  chooseOrder();
}
