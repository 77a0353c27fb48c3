// What can be done about a finding of 'settings-cli check'.

import { Refusal } from "./api.js";
import { button, copyText, el, once } from "./dom.js";
import { edit, emit, model, nameOf, ownValue, rename, ruleOf, ruleWithin } from "./model.js";
import { partsOf } from "./toml.js";

/** The buttons for a finding. `fail(message)` says why a fix was refused. */
export function fixesOf(finding, fail) {
  const isOwn = finding.file === model.doc.file;
  const fixes = [];
  const add = (label, action) => fixes.push(button(label, once(() => action().catch((error) => {
    if (!(error instanceof Refusal)) throw error;
    fail(error.message);
  })), { class: "small" }));
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
  if (finding.kind === "permissions") add("Copy a command that mends it", () => copyText(`chmod ${/chmod ([ugoa]*[-+=][rwx]*)/.exec(finding.message)?.[1] ?? "go-w"} ${shellWord(finding.file)}`));
  const line = finding.textLine ?? finding.line;
  if (isOwn && line) fixes.push(button("Show the line", () => emit("place", { line }), { class: "small quiet" }));
  return fixes.length > 0 ? el("span", { class: "fixes" }, fixes) : null;
}

/**
 * Whether what is wrong can be taken out of the file without what is around it. What is missing cannot, nor one of many
 * elements or records: what has a name then is all of them.
 */
function isApart(finding) {
  const key = model.keys.get(nameOf(finding));
  if (!key) return true;
  const path = partsOf(finding.key).slice(partsOf(key.key).length);
  const value = path.reduce((table, name) => (table && Object.hasOwn(table, name) ? table[name] : undefined), ownValue(key));
  const rule = ruleOf(key);
  const { type } = path.reduce((outer, name) => (outer.type === "records" ? { ...outer, type: "table" } : ruleWithin(outer, name)) ?? {}, { ...rule, type: key.type });
  if (value === undefined || value === null) return false;
  return Array.isArray(value) ? type !== "array" : typeof value !== "object" || !/^(table|records)$/.test(type);
}

/** A text as one word of a shell. */
export const shellWord = (text) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
