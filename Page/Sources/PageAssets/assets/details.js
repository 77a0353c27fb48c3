// What a row shows when it is opened: the rules of the key, the value of each layer, and the history of the value.

import { api, saidBy } from "./api.js";
import { button, copyText, el, iconButton, keepFocus, latest, timeText } from "./dom.js";
import { authorText, emit, hasValue, layerText, model, seen, shortValue } from "./model.js";
import { isNone, literal, partsOf } from "./toml.js";

export function details(row) {
  const facts = el("dl", { class: "facts" });
  const layers = el("div", {});
  const past = el("div", { class: "past" });
  const copy = button("Copy as a command", () => copyText(commandOf(row.name)).catch((error) => row.fail(error)), { class: "small" });
  const tools = el("div", { class: "detail-tools" }, copy, button("Copy the key", () => copyText(row.name), { class: "small quiet" }));
  const undo = iconButton("undo", "Undo", () => row.writes.undo());
  const redo = iconButton("redo", "Redo", () => row.writes.undo("redo"));
  const history = el("section", {}, el("div", { class: "past-head" }, el("h4", {}, "History"), el("span", {}, undo, redo)), past);
  const element = el("div", { class: "details" }, facts, layers, history, tools);
  let shown = null;
  const asks = latest();

  return {
    element,
    /** Whether its history has no answer yet. */
    isUnanswered: () => shown === null,
    update() {
      const { key } = row;
      facts.replaceChildren(...factsOf(key));
      layers.replaceChildren(layerTable(key));
      copy.disabled = key.isSecret || !hasValue(key);
      if (shown !== seen(model.doc)) {
        shown = seen(model.doc);
        const isWanted = asks();
        showHistory(row, past, isWanted).then((isShown) => { if (!isShown && isWanted()) shown = null; });
        for (const [verb, one] of [["undo", undo], ["redo", redo]]) {
          // Only the command knows whether there is something to take back.
          api.takeBack(verb, { key: key.key, dryRun: true }).then(() => true, () => false).then((can) => { if (isWanted()) one.disabled = !can; });
        }
      }
    },
  };
}

/** The command that sets a key as the file does. */
async function commandOf(name) {
  const { keys } = await api.dropIn();
  const found = keys.find(({ key }) => key === name);
  if (!found) throw new Error("There is no command that sets this value.");
  return found.command.trimEnd();
}

function factsOf(key) {
  const facts = [];
  const add = (name, value) => {
    if (!isNone(value) && value !== "") facts.push(el("div", { class: "fact" }, el("dt", {}, name), el("dd", {}, value)));
  };
  add("Needs", key.needs);
  add("Default", key.isSecret ? null : isNone(key.default) ? "none" : el("code", {}, shortValue(key.default, 300)));
  add("Formerly", key.formerly?.length ? el("code", {}, key.formerly.join(", ")) : null);
  add("Stored as", key.storedAs ? el("code", {}, `${key.storedAs}, a former name`) : null);
  add("Example", key.example === undefined ? null : el("code", {}, shortValue(key.example)));
  if (key.needsRestart) add("Takes effect", "when the app starts again");
  if (key.pattern) add("Pattern", el("code", {}, key.pattern.join("  ")));
  if (key.isLocked) add("Locked by", `${key.lockedBy ?? "an administrator"}${key.lockReason ? ` (${key.lockReason})` : ""}`);
  return facts;
}

/** Each layer's value with its place, the highest first. */
function layerTable(key) {
  const shown = (value) => (key.isSecret ? "(secret)" : shortValue(typeof value === "string" ? literal(value) : value, 200));
  const standard = { layer: "default", key: key.key, value: key.default, state: key.isDefault ? "used" : "hidden" };
  const rows = [...key.layers, ...(isNone(key.default) ? [] : [standard])].map((layer) => el("tr", { class: layer.state },
    el("th", { scope: "row" }, el("span", { class: "layer" }, layerText(layer.layer), layer.key !== key.key && el("code", {}, ` as ${layer.key}`)), placeOf(layer)),
    el("td", {}, el("code", {}, shown(layer.value))),
    el("td", {}, { used: "used", merged: "merged", hidden: "hidden by a higher layer", ignored: "ignored: locked", unusable: "not usable" }[layer.state] ?? layer.state)));
  if (rows.length === 0) return el("p", { class: "quiet-text" }, "No file has a value, and the app has no default.");
  return el("table", { class: "layers" }, el("caption", {}, "Where its values are from, the highest layer first"),
    el("thead", {}, el("tr", {}, ["Layer and place", "Value", "What becomes of it"].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows));
}

function placeOf(layer) {
  if (!layer.file) return "";
  // A path is broken after a slash, if at all.
  const text = `${layer.file}${layer.line ? `:${layer.line}` : ""}`.split(/(?<=\/)/).flatMap((part) => [part, el("wbr", {})]);
  if (layer.file !== model.doc.file) return el("code", { class: "place" }, text);
  return el("button", { type: "button", class: "link place", onclick: () => emit("place", { line: layer.line }) }, text);
}

/** Shows the history of a row's key. Returns whether there was an answer. */
async function showHistory(row, past, isWanted) {
  let refusal = "";
  const entries = await api.history(row.name).catch((error) => { refusal = saidBy(error); });
  const { key } = row;
  // Another file, or another schema, may have no such key.
  if (!key || !isWanted()) return true;
  if (refusal !== "" || entries.length === 0) {
    past.replaceChildren(el("p", { class: "quiet-text", role: refusal === "" ? null : "alert" }, refusal || "The history has no change of this value."));
    return refusal === "";
  }
  keepFocus(past, () => past.replaceChildren(el("ol", { class: "history" }, entries.map((entry, at) => {
    const changes = entry.changes.map((change) => el("span", { class: "change" },
      change.key !== key.key && el("code", {}, `${change.key}: `),
      change.isHidden ? "a value that is not kept" : change.isLong ? "a long value"
        : [el("code", { class: "old" }, shortValue(change.old)), el("span", { "aria-label": "became" }, " → "), el("code", { class: "new" }, shortValue(change.new))]));
    const when = timeText(entry.time);
    const own = entry.changes.find((change) => change.key === key.key || key.formerly?.includes(change.key));
    const canSet = own && !own.isHidden && !own.isLong && !key.isSecret && !key.isLocked && at > 0 && own.new !== null;
    return el("li", {}, el("span", { class: "who" }, `${authorText(entry)}, `, el("time", { datetime: entry.time }, when)), ...changes,
      entry.isUndone && el("span", { class: "quiet-text" }, " (undone)"),
      canSet && button("Use again", () => row.writes.store(partsOf(key.key), own.toml ? { toml: own.toml } : { value: own.new }), { class: "small quiet", "aria-label": `Use ${shortValue(own.new)} again` }));
  }))), row.element);
  return true;
}
