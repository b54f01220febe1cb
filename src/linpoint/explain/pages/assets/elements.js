// SPDX-License-Identifier: Apache-2.0
// The data of the page, and its elements: found by their ids, or made of text.

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const thousands = (number) => number.toLocaleString("en-US");

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}
