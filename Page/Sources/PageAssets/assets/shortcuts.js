// The keyboard: one key for what is done often, and a page that lists them. Single keys can be turned off, for people
// whose speech input would type them.

import { button, el, keyOf, openDialog } from "./dom.js";

const stored = "settings-page.single-keys";

/** The keys outside of fields: each with what it does in words, and what does it. */
let anywhere = [];

const inFields = [
  ["Enter", "Store what is typed"],
  ["Shift Enter", "Begin another line of a text, which Ctrl Enter stores"],
  ["Escape", "Take back what is typed"],
  ["↑ ↓", "On the handle of a list's element: move it"],
  ["Ctrl s", "In the file: save the text"],
];

const areOn = () => localStorage.getItem(stored) !== "off";

/** Has keys that are pressed outside of fields do something. */
export function begin(shortcuts) {
  anywhere = shortcuts;
  const actions = Object.fromEntries(shortcuts.map(([key, , action]) => [key, action]));
  document.addEventListener("keydown", (event) => {
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.altKey || event.getModifierState?.("AltGraph") || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const { target } = event;
    const isField = target.matches("input, textarea, select, [contenteditable]");
    if (event.key === "Escape") return void actions.Escape(event);
    if (isField && !target.matches("input[type=checkbox], input[type=radio]")) return;
    if (event.key === "Enter" && !target.matches(".row")) return;
    if (!areOn() && !isCommand && event.key.length === 1) return;
    // A letter by Shift alone: with Caps Lock, Ctrl Z is still an undo.
    const name = keyOf(event);
    const key = name.length > 1 ? name : event.shiftKey ? name.toUpperCase() : name.toLowerCase();
    const action = actions[isCommand ? `Ctrl ${key}` : key];
    // A key that is held goes on through the settings. It resets no other one where the first is gone.
    if (!action || (event.repeat && !isCommand && !/^[jk]$/.test(key))) return;
    event.preventDefault();
    action(event);
  });
}

export function openHelp() {
  const table = (rows, caption) => el("table", { class: "keys" }, el("caption", {}, caption), el("tbody", {}, rows.map(([key, what]) =>
    el("tr", {}, el("th", { scope: "row" }, key.replace(/(^| )([A-Z])$/, (_, space, letter) => `${space}Shift ${letter.toLowerCase()}`).split(" ").map((one) => el("kbd", {}, one))), el("td", {}, what)))));
  const toggle = el("input", { type: "checkbox", role: "switch", class: "switch", id: "single-keys" });
  toggle.checked = areOn();
  toggle.addEventListener("change", () => localStorage.setItem(stored, toggle.checked ? "on" : "off"));
  const dialog = openDialog("Keyboard shortcuts",
    el("div", { class: "key-tables" }, table(anywhere, "Anywhere"), table(inFields, "In a field")),
    el("p", { class: "with-unit" }, toggle, el("label", { for: "single-keys" }, "Use single keys as shortcuts")),
    el("div", { class: "dialog-buttons" }, button("Close", () => dialog.close(), { class: "primary", autofocus: true })));
}
