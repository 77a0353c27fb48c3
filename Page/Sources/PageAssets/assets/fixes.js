// What can be done about a finding of 'settings-cli check'.

import { inTurn, Refusal, saidBy } from "./api.js";
import { button, copyText, el, once } from "./dom.js";
import { edit, emit, member, model, nameOf, ownValue, rename, ruleAt } from "./model.js";
import { partsOf } from "./toml.js";
import { same } from "./typed.js";

/** The buttons for a finding. `fail(message)` says why a fix was refused. */
export function fixesOf(finding, fail) {
  const isOwn = finding.file === model.doc.file;
  const fixes = [];
  const seen = valueAt(finding) ?? null;
  const add = (label, action) => fixes.push(button(label, once(async () => {
    try {
      await inTurn(() => {
        // What the click here has left is stored now. What it is about may be another value then.
        if (finding.file !== model.doc.file || !same(valueAt(finding) ?? null, seen)) throw new Refusal(412, "It was changed meanwhile, so nothing was stored.");
        return action();
      });
    } catch (error) {
      fail(saidBy(error));
    }
  }), { class: "small" }));
  if (isOwn && finding.key) {
    if (/^(unknown-key|former-name)$/.test(finding.kind) && finding.suggestion) add(`Rename to ${finding.suggestion}`, () => rename(finding.key, finding.suggestion));
    const [mine, it] = ["Remove my value", "Remove it"];
    const removing = { "unknown-key": it, reserved: it, locked: mine, hidden: mine, ignored: mine, "invalid-value": isApart(finding) && "Reset it" }[finding.kind];
    if (removing) add(removing, () => edit({ unset: partsOf(finding.key) }));
  }
  if (finding.kind === "permissions") fixes.push(button("Copy a command that mends it", () => copyText(`chmod ${/chmod ([ugoa]*[-+=][rwx]*)/.exec(finding.message)?.[1] ?? "go-w"} ${shellWord(finding.file)}`), { class: "small" }));
  const line = finding.textLine ?? finding.line;
  if (isOwn && line) fixes.push(button("Show the line", () => emit("place", { line }), { class: "small quiet" }));
  return fixes.length > 0 ? el("span", { class: "fixes" }, fixes) : null;
}

/** What the file has where something is wrong. */
function valueAt(finding) {
  const key = model.keys.get(nameOf(finding));
  return key && partsOf(finding.key).slice(partsOf(key.key).length).reduce(member, ownValue(key));
}

/**
 * Whether what is wrong can be taken out of the file without what is around it. What is missing cannot, nor one of many
 * elements or records: what has a name then is all of them.
 */
function isApart(finding) {
  const key = model.keys.get(nameOf(finding));
  if (!key) return true;
  const path = partsOf(finding.key).slice(partsOf(key.key).length);
  const value = valueAt(finding);
  const type = ruleAt(key, path)?.type;
  if (value === undefined || value === null) return false;
  return Array.isArray(value) ? type !== "array" : typeof value !== "object" || !/^(table|records)$/.test(type);
}

/** A text as one word of a shell. */
export const shellWord = (text) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
