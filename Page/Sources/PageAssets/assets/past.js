// The former texts of the file, out of its history: to be read, and compared with the text of now.

import { api, Refusal } from "./api.js";
import { button, copyText, el, timeText } from "./dom.js";
import { diffView, difference } from "./diff.js";
import { authorText, model, readable } from "./model.js";

const unified = (text) => text.replace(/\r\n?/g, "\n");

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
  const dialog = el("dialog", { class: "dialog wide-dialog past-dialog", "aria-labelledby": "past-title", onclose: () => dialog.remove() },
    el("h2", { id: "past-title" }, "Former texts"), content,
    el("div", { class: "dialog-buttons" }, button("Close", () => dialog.close(), { class: "quiet" })));
  document.body.append(dialog);
  dialog.showModal();
  let entries = [];
  try {
    entries = await api.history(null, 200);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // A file without a history is one without entries.
    if (error.http !== 404) return void content.replaceChildren(el("p", { class: "quiet-text", role: "alert" }, error.message));
  }
  if (entries.length === 0) {
    content.replaceChildren(el("p", { class: "quiet-text" }, "The history of this file has no entry yet. It begins with the first change."));
  } else {
    const buttons = entries.map((entry, at) => el("button", { type: "button", class: "past-entry", "aria-pressed": "false", onclick: () => choose(at) },
      el("span", { class: "past-time" }, timeText(entry.time)), el("span", { class: "past-what" }, summary(entry)), el("span", { class: "past-who" }, authorText(entry))));
    const choose = async (at) => {
      buttons.forEach((one, i) => one.setAttribute("aria-pressed", String(i === at)));
      await showText(view, entries[at], () => buttons[at].getAttribute("aria-pressed") === "true");
    };
    content.replaceChildren(el("ol", { class: "past-list", "aria-label": "Entries of the history, the newest first" }, buttons.map((one) => el("li", {}, one))), view);
    choose(Math.min(1, entries.length - 1));
  }
}

async function showText(view, entry, isWanted) {
  let text;
  try {
    text = unified((await api.formerText(entry.number)).text);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (isWanted()) view.replaceChildren(el("p", { class: "quiet-text", role: "alert" }, error.message));
    return;
  }
  if (!isWanted()) return;
  const now = unified(model.doc.text);
  const when = timeText(entry.time);
  const isSame = text === now;
  view.replaceChildren(
    el("div", { class: "past-head" }, el("h3", {}, `After the change of ${when}`), button("Copy the text", () => copyText(text), { class: "small" })),
    el("h4", {}, "What has changed since"),
    isSame ? el("p", { class: "quiet-text" }, "Nothing: this is the text of now.") : diffView(readable(difference(text, now)), `Difference between the text of ${when} and the text of now`),
    el("h4", {}, "The whole text"),
    el("pre", { class: "diff past-text", tabindex: "0", role: "region", "aria-label": `Text of ${when}` }, text === "" ? "(empty)" : readable(text)));
}
