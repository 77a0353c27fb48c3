// Copies settings as commands or as a drop-in file.

import { api, saidBy } from "./api.js";
import { sideBySide } from "./choices.js";
import { button, copyText, el, latest, openDialog } from "./dom.js";
import { hasValue, isStored, isUnusable, model, nodeOf } from "./model.js";
import { shellWord } from "./fixes.js";
import { literal } from "./toml.js";

const valueText = (key) => nodeOf(key)?.raw ?? literal(key.value);

/** A command that sets the present value of a key. */
export function commandFor(key) {
  const isOpen = key.type === null || key.type === "any";
  const words = [model.doc.target, key.key, typeof key.value === "string" && !isOpen ? key.value : valueText(key)].map(shellWord);
  const at = words.findIndex((word) => /^'?-/.test(word));
  if (at >= 0) words.splice(at, 0, "--");
  return `settings-cli set ${isOpen ? "--type toml " : ""}${words.join(" ")}`;
}

const left = (count, what) => (count > 0 ? `${count} ${what}${count === 1 ? " is" : "s are"} left out.` : "");

const lineFor = (key) => `${key.key} = ${valueText(key)}`;

/** The dialog: which settings, in which form. */
export function openCopy(shown) {
  const area = el("textarea", { class: "field mono copy-text", rows: 12, readonly: true, "aria-label": "What is copied", spellcheck: "false" });
  const note = el("p", { class: "quiet-text" });
  const scope = either("Which settings", { mine: "All in this file", shown: `Those that the search shows (${shown.length})` });
  const form = either("As", { commands: "Commands", "drop-in": "A drop-in file" });
  const asks = latest();
  const show = async () => {
    const isLast = asks();
    const isFile = scope.isFirst();
    const isDropIn = !form.isFirst();
    const mine = isFile ? model.doc.keys.filter(isStored) : shown;
    const keys = mine.filter(hasValue);
    const open = keys.filter((key) => !key.isSecret);
    note.textContent = [left(keys.length - open.length, "secret"),
      isFile && left(mine.filter((key) => isUnusable(key) && !key.isSecret).length, "invalid value")].filter(Boolean).join(" ");
    if (isFile) {
      copy.disabled = true;
      area.value = "";
      area.placeholder = "Loading…";
      const given = await api.dropIn().then(({ text, commands }) => [isDropIn ? text : commands], (error) => ["", saidBy(error)]);
      if (isLast()) fill(...given);
      return;
    }
    const lines = open.map(isDropIn ? lineFor : commandFor);
    // Without it, the file would be one of the first version, and be migrated.
    if (isDropIn && lines.length > 0 && model.doc.schema?.version > 1) lines.unshift(`settings-version = ${model.doc.schema.version}`);
    fill(lines.map((line) => `${line}\n`).join(""));
  };
  const fill = (text, message = "There is nothing to copy.") => {
    area.value = text;
    area.placeholder = message;
    copy.disabled = text === "";
  };
  const copy = button("Copy", async () => {
    note.textContent = await copyText(area.value) ? "Copied." : "The browser did not copy it. Select the text and copy it yourself.";
  }, { class: "primary" });
  const dialog = openDialog("Copy settings", "", scope.element, form.element, area, note,
    el("div", { class: "dialog-buttons" }, button("Close", () => dialog.close(), { class: "quiet" }), copy));
  dialog.addEventListener("change", show);
  show();
}

/** A question with two answers by their values, of which the first is chosen. */
function either(legend, answers) {
  const { inputs, element } = sideBySide(Object.keys(answers), Object.values(answers));
  inputs[0].checked = true;
  return { isFirst: () => inputs[0].checked, element: el("fieldset", { class: "segments-box" }, el("legend", {}, legend), element) };
}
