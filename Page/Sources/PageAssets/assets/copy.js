// Copies settings as commands or as a drop-in file.

import { api, saidBy } from "./api.js";
import { sideBySide } from "./choices.js";
import { button, copyText, el, latest, openDialog } from "./dom.js";
import { hasValue, isStored, isUnusable, model } from "./model.js";

const left = (count, what) => (count > 0 ? `${count} ${what}${count === 1 ? " is" : "s are"} left out.` : "");

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
    note.textContent = [left(keys.filter((key) => key.isSecret).length, "secret"),
      isFile && left(mine.filter((key) => isUnusable(key) && !key.isSecret).length, "invalid value")].filter(Boolean).join(" ");
    copy.disabled = true;
    area.value = "";
    area.placeholder = "Loading…";
    const of = ({ text, commands, keys: all }) => {
      if (isFile) return isDropIn ? text : commands;
      const names = new Set(keys.map(({ key }) => key));
      const lines = all.filter(({ key }) => names.has(key)).map(({ line, command }) => (isDropIn ? line : command));
      // Without it, the file would be one of the first version, and be migrated.
      if (isDropIn && lines.length > 0 && model.doc.schema?.version > 1) lines.unshift(`settings-version = ${model.doc.schema.version}\n`);
      return lines.join("");
    };
    const given = await api.dropIn().then((all) => [of(all)], (error) => ["", saidBy(error)]);
    if (isLast()) fill(...given);
  };
  const fill = (text, message = "There is nothing to copy.") => {
    area.value = text;
    area.placeholder = message;
    copy.disabled = text === "";
  };
  const copy = button("Copy", async () => {
    note.textContent = await copyText(area.value) ? "Copied." : "The browser did not copy it. Select the text and copy it yourself.";
  }, { class: "primary" });
  const dialog = openDialog("Copy settings", scope.element, form.element, area, note,
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
