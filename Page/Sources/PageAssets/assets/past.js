// The former texts of the file, out of its history: to be read, and compared with the text of now.

import { api, saidBy } from "./api.js";
import { button, copyText, el, latest, openDialog, timeText } from "./dom.js";
import { diffView, difference, unified } from "./diff.js";
import { authorText, model, readable } from "./model.js";

const reasons = {
  set: "set", reset: "reset", update: "changed", migration: "migrated", import: "imported", edit: "edited", undo: "taken back", redo: "done again", restore: "restored", outside: "edited",
};

/** What an entry of the history changed, in a few words. */
function summary(entry) {
  const keys = [...new Set((entry.changes ?? []).map((change) => change.key))];
  const what = keys.length === 0 ? "comments or spacing" : keys.length <= 2 ? keys.join(", ") : `${keys[0]} and ${keys.length - 1} more`;
  return `${what} ${keys.length === 0 ? "changed" : reasons[entry.reason] ?? entry.reason}`;
}

/** The dialog: the entries of the history, and the text after the one that is chosen. */
export async function openPast() {
  const loading = () => el("p", { class: "quiet-text", role: "status" }, "Loading…");
  const view = el("div", { class: "past-view" }, loading());
  const content = el("div", { class: "past-box" }, loading());
  const asks = latest();
  const dialog = openDialog("Former texts", content,
    el("div", { class: "dialog-buttons" }, button("Close", () => dialog.close(), { class: "quiet" })));
  const fail = (error) => el("p", { class: "quiet-text", role: "alert" }, saidBy(error));
  const entries = await api.history(null, 200).catch((error) => content.replaceChildren(fail(error)));
  if (!entries) return;
  if (entries.length === 0) {
    content.replaceChildren(el("p", { class: "quiet-text" }, "The history of this file has no entry yet. It begins with the first change."));
  } else {
    const buttons = entries.map((entry, at) => el("button", { type: "button", class: "past-entry", "aria-pressed": "false", onclick: () => choose(at) },
      el("span", { class: "past-time" }, timeText(entry.time)), el("span", { class: "past-what" }, summary(entry)), el("span", { class: "past-who" }, authorText(entry))));
    const choose = async (at) => {
      const isLast = asks();
      buttons.forEach((one, i) => one.setAttribute("aria-pressed", String(i === at)));
      const shown = await Promise.all([textOf(entries[at]), textOfNow()]).then(([text, now]) => formerText(text, now, entries[at]), fail);
      if (isLast()) view.replaceChildren(...[shown].flat());
    };
    content.replaceChildren(el("ol", { class: "past-list", "aria-label": "Entries of the history, the newest first" }, buttons.map((one) => el("li", {}, one))), view);
    choose(Math.min(1, entries.length - 1));
  }
}

const textOf = async ({ number }) => unified((await api.formerText(number)).text);

/** The text of now with what the history leaves out, which the document says in other words. That does not differ, then. */
const textOfNow = async () => (model.doc.problem ? unified(model.doc.text) : textOf((await api.history(null, 1))[0]));

function formerText(text, now, entry) {
  const when = timeText(entry.time);
  const isSame = text === now;
  return [
    el("div", { class: "past-head" }, el("h3", {}, `After the change of ${when}`), button("Copy the text", () => copyText(text), { class: "small" })),
    el("h4", {}, "What has changed since"),
    isSame ? el("p", { class: "quiet-text" }, "Nothing: this is the text of now.") : diffView(readable(difference(text, now)), `Difference between the text of ${when} and the text of now`),
    el("h4", {}, "The whole text"),
    el("pre", { class: "diff past-text", tabindex: "0", role: "region", "aria-label": `Text of ${when}` }, text === "" ? "(empty)" : readable(text)),
  ];
}
