// What can be done about a finding of 'settings-cli check'.

import { Refusal, writesDone } from "./api.js";
import { button, copyText, el, once } from "./dom.js";
import { edit, emit, member, model, nameOf, ownValue, rename, ruleOf, ruleWithin } from "./model.js";
import { partsOf } from "./toml.js";
import { same } from "./typed.js";

/** The buttons for a finding. `fail(message)` says why a fix was refused. */
export function fixesOf(finding, fail) {
  const isOwn = finding.file === model.doc.file;
  const fixes = [];
  const seen = valueAt(finding) ?? null;
  const add = (label, action) => fixes.push(button(label, once(async () => {
    // What the click here has left is being stored. What it is about may be another value then.
    await writesDone();
    try {
      if (finding.file !== model.doc.file || !same(valueAt(finding) ?? null, seen)) throw new Refusal(412, { message: "It was changed meanwhile, so nothing was stored." });
      await action();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      fail(error.message);
    }
  }), { class: "small" }));
  if (isOwn && finding.key) {
    const remove = () => edit([{ unset: partsOf(finding.key) }]);
    const move = () => rename(finding.key, finding.suggestion);
    switch (finding.kind) {
      case "unknown-key":
        if (finding.suggestion) add(`Rename to ${finding.suggestion}`, move);
        add("Remove it", remove);
        break;
      case "former-name":
        if (finding.suggestion) add(`Rename to ${finding.suggestion}`, move);
        break;
      case "invalid-value":
        if (isApart(finding)) add("Reset it", remove);
        break;
      case "locked": case "hidden": case "ignored": add("Remove my value", remove); break;
      case "reserved": add("Remove it", remove); break;
      default: break;
    }
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
  const rule = ruleOf(key);
  const { type } = path.reduce((outer, name) => (outer.type === "records" ? { ...outer, type: "table" } : ruleWithin(outer, name)) ?? {}, { ...rule, type: key.type });
  if (value === undefined || value === null) return false;
  return Array.isArray(value) ? type !== "array" : typeof value !== "object" || !/^(table|records)$/.test(type);
}

/** A text as one word of a shell. */
export const shellWord = (text) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
