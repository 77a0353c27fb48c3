// What is typed and not stored, and the question before it would be lost.

import { writesDone } from "./api.js";
import { asks } from "./dom.js";
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
  return asks("Something is not saved", `What you typed in ${parts.join(", ")} is not saved.`, "Keep editing", ["Discard it", () => {
    for (const row of drafts) row.giveUp();
    file.discard();
    return true;
  }], file.canSave() && drafts.length === 0 && ["Save the text", () => file.store(), { class: "primary" }]);
}

/** Has the browser ask, too, before the tab goes. */
export function begin() {
  window.addEventListener("beforeunload", (event) => {
    if (areThere()) event.preventDefault();
  });
}
