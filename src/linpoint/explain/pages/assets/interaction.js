// SPDX-License-Identifier: Apache-2.0
// What every page does: light and dark, copying, saving, and its keys, to which others add theirs.

const wantsDark = window.matchMedia("(prefers-color-scheme: dark)");
const themed = []; // who has colours of its own
let theme = null; // what the user chose, for as long as the page is open

function isDark() {
  return theme === null ? wantsDark.matches : theme === "dark";
}

function applyTheme() {
  if (theme !== null) document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-pressed", String(isDark()));
  for (const tell of themed) tell();
}

function switchTheme() {
  theme = isDark() ? "light" : "dark";
  applyTheme();
}

async function copy(button) {
  const source = byId(button.dataset.copy);
  let copied = true;
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    // Without permission to write: the old way, which needs a selection. If that fails too, the selection is left.
    const range = document.createRange();
    range.selectNodeContents(source);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    copied = document.execCommand("copy");
  }
  button.textContent = copied ? "Copied" : "Not copied";
  byId("announced").textContent = copied ? "Copied." : "Not copied. The text is selected; copy it with the keyboard.";
  setTimeout(() => {
    button.textContent = "Copy";
    byId("announced").textContent = "";
  }, 3000);
}

function save(button) {
  const file = data.downloads[Number(button.dataset.download)];
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([file.text], { type: file.type }));
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function openHelp() {
  if (!byId("help").open) byId("help").showModal();
}

const SHORTCUTS = { t: switchTheme, "?": openHelp };

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  if (typing || byId("help").open || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(SHORTCUTS, event.key)) return;
  event.preventDefault();
  SHORTCUTS[event.key]();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.copy) copy(button);
  else if (button?.dataset.download) save(button);
});

byId("theme").addEventListener("click", switchTheme);
byId("help-open").addEventListener("click", openHelp);
wantsDark.addEventListener("change", applyTheme);
