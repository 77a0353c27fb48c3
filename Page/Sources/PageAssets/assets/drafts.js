// What is typed and not stored, and the question before it would be lost.

import { writesDone } from "./api.js";
import { button, el, openDialog } from "./dom.js";
import { titleOf } from "./model.js";
import * as file from "./file.js";
import * as settings from "./settings.js";

/** The settings with something typed that is not stored, also those that the search does not show. */
const rows = () => settings.rows().filter((row) => row.key && (row.element.querySelector("[data-draft]") || row.control?.isDirty()));

const areThere = () => file.hasDraft() || rows().length > 0;

/** Asks before what is typed is lost, if something is. Returns whether the person goes on. */
export async function mayLeave() {
  // What the click here has left is being stored.
  await writesDone();
  await new Promise((done) => { setTimeout(done); });
  return !areThere() || ask();
}

function ask() {
  const drafts = rows();
  const parts = [file.hasDraft() && "the text of the file", ...drafts.map((row) => `'${titleOf(row.key)}'`)].filter(Boolean);
  return new Promise((done) => {
    const answer = (goesOn) => () => {
      done(goesOn);
      dialog.close();
    };
    const dialog = openDialog("Something is not saved", "", el("p", {}, `What you typed in ${parts.join(", ")} is not saved.`),
    el("div", { class: "dialog-buttons" },
      button("Keep editing", answer(false), { class: "quiet", autofocus: true }),
      button("Discard it", () => {
        for (const row of drafts) row.giveUp();
        file.discard();
        answer(true)();
      }),
      file.canSave() && drafts.length === 0 && button("Save the text", () => {
        done(file.store());
        dialog.close();
      }, { class: "primary" })));
    dialog.addEventListener("close", () => done(false));
  });
}

/** Has the browser ask, too, before the tab goes. */
export function begin() {
  window.addEventListener("beforeunload", (event) => {
    if (areThere()) event.preventDefault();
  });
}
