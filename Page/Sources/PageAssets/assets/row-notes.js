// What a row says of its key beside the name, and below the control: its state, its mistakes, and what hides or locks it.

import { el, icon, shortPath } from "./dom.js";
import { fixesOf } from "./fixes.js";
import { findingsOf, hasValue, isModified, layerText, model, shortValue, shownOf } from "./model.js";

const badge = (kind, sign, text) => el("span", { class: `badge ${kind}` }, sign && icon(sign), text);

export function badgesOf(key) {
  const from = !hasValue(key) || shownOf(key).isUnused ? "" : key.isDefault ? "default" : key.layer && key.file !== model.doc.file ? layerText(key.layer) : "";
  return [
    isModified(key) && el("span", { class: "offscreen" }, "modified"), key.isLocked && badge("locked-badge", "lock", "locked"),
    key.isSecret && badge("", "key", "secret"), !key.isKnown && badge("warning-badge", null, "unknown key"), from && badge("plain-badge", null, from),
  ].filter(Boolean);
}

/** The notes. `fail(message)` says why something that they offer was refused. */
export function notesOf(key, fail) {
  const notes = [];
  if (key.isLocked) {
    const place = key.lockedBy ? ` in ${shortPath(key.lockedBy)}` : "";
    notes.push(el("p", { class: "note lock-note", title: key.lockedBy }, icon("lock"),
      el("span", {}, `Locked by an administrator${place}${key.lockReason ? ": " : "."}`, key.lockReason && el("q", {}, key.lockReason))));
  }
  const hiding = key.layers.find((layer) => layer.state === "used");
  const own = key.layers.find((layer) => layer.file === model.doc.file && layer.state === "hidden");
  if (own && hiding) notes.push(el("p", { class: "note" }, `Your value ${key.isSecret ? "" : `${shortValue(own.value)} `}is hidden by ${layerText(hiding.layer)}.`));
  const findings = findingsOf(key);
  const mistake = (severity, message, fixes) => notes.push(el("div", { class: `note ${severity}-note` }, icon("warning"), el("span", {}, message), fixes));
  if (key.problem && !findings.some((finding) => finding.kind === "invalid-value")) mistake("error", key.problem);
  for (const finding of findings) mistake(finding.severity, finding.message, fixesOf(finding, fail));
  return notes;
}
