// The document that the page shows: the answer to GET /api/apps/APP, and who changed what while the page was open.

import { api, currentApp, currentLayer, isOwn, Refusal, trying, useFile } from "./api.js";
import { dotted, isNone, jsonOf, kindOfValue, parseValue, partsOf } from "./toml.js";

export const model = {
  /** The last document, or null. */
  doc: null,
  /** The profile that is active, whichever file is shown; null if none is. */
  profile: null,
  /** The keys of the document by name. */
  keys: new Map(),
  /** The changes that were noticed while the page was open: key → { by, isMine, file, time }. */
  changes: new Map(),
  /** The running trial: { id, app, until, keys }, or null. */
  trial: null,
  /** The stream of changes: "open", "closed", "waiting" where the tabs of the browser have too many apps, or "foreign". */
  connection: "open",
};

const listeners = new Map();

/** Calls `f` for each event of a name: "document", "unread", "trial", "trying", "place", "elsewhere", "connection". */
export function on(name, f) {
  listeners.set(name, [...(listeners.get(name) ?? []), f]);
}

export function emit(name, detail) {
  for (const f of listeners.get(name) ?? []) f(detail);
}

// MARK: Reading

let reading = null;
let readsAgain = false;

/** Reads the document again. Calls during a reading are answered by one more reading. */
export function refresh() {
  if (reading) {
    readsAgain = true;
    return reading;
  }
  reading = (async () => {
    try {
      do {
        readsAgain = false;
        const app = currentApp();
        const layer = currentLayer();
        const isCurrent = () => app === currentApp() && layer === currentLayer();
        const doc = await api.document().catch((error) => {
          // What is shown is not what is there any more.
          if (isCurrent() && error instanceof Refusal && error.http !== 0 && error.http !== 401) emit("unread", error.message);
          throw error;
        });
        if (isCurrent()) take(doc);
      } while (readsAgain);
    } finally {
      reading = null;
    }
  })();
  return reading;
}

/** The last document of each file that could be read. */
const lastReadable = new Map();

function take(doc) {
  const before = model.doc;
  const place = `${doc.target}\n${doc.file}`;
  const last = lastReadable.get(place);
  if (!doc.problem) lastReadable.set(place, doc);
  // Of a file that does not parse there are defaults alone, while the app goes on with what it had. Those values are at no
  // place of the text that is there now.
  else if (last) doc = { ...doc, isOutdated: true, keys: last.keys.map((key) => ({ ...key, span: null })), groups: last.groups };
  model.doc = doc;
  // That of another file is the profile whose file it is.
  if (currentLayer() === "") model.profile = doc.profile;
  useFile(doc.file);
  model.keys = new Map(doc.keys.map((key) => [key.key, key]));
  findingsByKey = null;
  emit("unread", null);
  emit("document", before);
}

// MARK: Writing

/** The text that a document shows, in words for a write: another file may have the same bytes. */
export const seen = ({ file, digest }) => `${file}:${digest}`;

/**
 * Makes a write of the file as it is shown. It lasts until the document is read again, also if it was refused, so that its
 * event need not read it once more.
 */
const ofShown = (write) => write(seen(model.doc)).finally(() => refresh().catch(() => {}));

/**
 * Makes an edit: a line of 'settings-cli batch', with the parts of a key. While "try" is on, it is a trial.
 *
 * Throws a Refusal, also where a value was stored and a higher layer hides it; then `isStored` is true.
 */
export async function edit(line) {
  const seconds = 15;
  const tryFor = trying.isNext ? seconds : undefined;
  if (tryFor && model.trial) throw new Refusal(409, "A trial is running. Keep it or take it back first.");
  const app = currentApp();
  const create = (line.set && isUnknown(line.set)) || undefined;
  const { trial } = await ofShown((ifUnchanged) => api.edits([line], { ifUnchanged, tryFor, create })).catch((error) => {
    // The server has taken back what was tried.
    error.isStored = !tryFor && error.http === 409 && error.message.startsWith("Stored '");
    throw error;
  });
  if (!trial) return;
  // There is one at a time. That of another tab leaves this one's next change what it is.
  trying.isNext = false;
  emit("trying");
  startTrial(trial, seconds, [dotted(line.set ?? line.unset)], app);
}

/** Asks the command whether it would store a value. */
export const tryOut = (path, change) => api.edits([{ set: path, ...change }], { dryRun: true, create: isUnknown(path) || undefined });

/** Whether the file has a value at a path that the app does not know. It may get another one. */
function isUnknown(path) {
  const key = model.keys.get(nameOf({ key: dotted(path) }));
  if (!key || key.isGone) return false;
  const names = path.slice(partsOf(key.key).length);
  return (!key.isKnown || !ruleAt(key, names)) && names.reduce(member, ownValue(key)) !== undefined;
}

export const rename = (from, to) => ofShown((ifUnchanged) => api.rename(from, to, ifUnchanged));

/** Takes the last change of the file, or of a key, back, or makes it again ("undo", "redo"). */
export const takeBack = (verb, key) => ofShown((ifUnchanged) => api.takeBack(verb, { key, ifUnchanged }));

/** Shows that a trial runs. Both the answer to the edit and an event say it, in any order. */
export function startTrial(id, seconds, keys, app) {
  if (model.trial?.id === id || ended.has(id)) return;
  model.trial = { id, app, until: Date.now() + seconds * 1000, keys };
  emit("trial");
}

/** Trials that are over: what says so may come before what says that they began. */
const ended = new Set();

export function endTrial(id) {
  ended.add(id);
  if (model.trial?.id !== id) return;
  model.trial = null;
  emit("trial");
}

// MARK: Facts about keys

/** The last change of a key that was noticed in the file that is shown. */
export function changeOf(name) {
  const change = model.changes.get(name);
  return change?.file === model.doc.file ? change : undefined;
}

const rules = new WeakMap();

/** What the schema says of a key's values, with the rules of its elements and fields. */
export function ruleOf(key) {
  let rule = rules.get(key);
  if (!rule) {
    rule = { ...ruleOfShape(key.shape), ...key };
    rules.set(key, rule);
  }
  return rule;
}

function ruleOfShape(shape) {
  if (!shape) return {};
  const fields = shape.fields && Object.fromEntries(shape.fields.map((field) =>
    [field.name, { ...ruleOfShape(field.shape), isRequired: field.isRequired, default: field.default, description: field.description }]));
  return { ...shape, element: shape.element ? ruleOfShape(shape.element) : undefined, fields };
}

/** The rule of a member of a table; undefined if there is none. */
export const ruleWithin = (rule, name) => (Object.hasOwn(rule?.fields ?? {}, name) ? rule.fields[name] : rule?.element);

/** The rule at a path within a key; undefined if there is none. */
export const ruleAt = (key, names) => names.reduce(
  (outer, name) => outer && (outer.type === "records" ? { ...outer, type: "table" } : ruleWithin(outer, name)), { ...ruleOf(key), type: key.type });

/** Whether the file that is written has a value of the key. */
export const isModified = (key) => !key.isLocked && isStored(key);

/** Whether the file that is written has a value of the key, which may have no effect. */
export const isStored = (key) => ownLayer(key) !== undefined;

/** Whether the value that the file that is written has is invalid. */
export const isUnusable = (key) => ownLayer(key)?.state === "unusable";

const ownLayer = (key) => key.layers.find((layer) => layer.file === model.doc.file && layer.file !== null);

/** The value that the file that is written has itself. */
export const ownValue = (key) => ownLayer(key)?.value;

/** A member of a table, whose name may be anything: 'constructor', '__proto__'. */
export const member = (value, name) => (isTable(value) && Object.hasOwn(value, name) ? value[name] : undefined);
export const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/**
 * What the form shows of a key: the value that counts. A list or table that is invalid counts nowhere, and is shown as it is
 * in the file (`isUnused`): it would seem empty, and what is added would replace it.
 */
export function shownOf(key) {
  const own = ownValue(key);
  const isUnused = /^(array|table|records)$/.test(key.type) && isUnusable(key);
  return { value: isUnused ? own : key.value, own, isUnused };
}

/** What the form shows of a member of a table, in the same way: an invalid record is in the file alone. */
export function shownWithin({ value, own, isUnused }, name) {
  const used = member(value, name);
  const mine = member(own, name);
  return isNone(used) && mine !== undefined ? { value: mine, own: mine, isUnused: true } : { value: used, own: mine, isUnused };
}

export const hasValue = (key) => !isNone(key.value);

/** The text of the value in the file that is written, or null if the value is not from there. */
export const sourceOf = (key) => (key.span ? model.doc.text.slice(key.span.start, key.span.end) : null);

/**
 * The parsed text of the value: that of the file if the value that counts is there, or else the one that the document has
 * for it. A table may be in many places of the file.
 */
export function nodeOf(key) {
  const { value, isUnused } = shownOf(key);
  const source = isUnused ? sourceOf(key) : (isTable(value) && key.toml) || (key.file === model.doc.file && sourceOf(key)) || key.toml;
  if (!source) return null;
  const known = nodes.get(key);
  if (known?.source === source) return known.node;
  const parsed = parseValue(source);
  // Sections are not one value, although "[a]" looks like an array.
  const node = isTable(value) === (parsed?.kind === "table") ? parsed : null;
  nodes.set(key, { source, node });
  return node;
}

/** Long values take a while, and are asked for often. */
const nodes = new WeakMap();

/** The kind of a key's values: what the schema says, or else what the value is. */
export const kindOfKey = (key) => (key.isRecord && (!key.type || key.type === "any") ? "records" : kindBy(key, key.value, nodeOf(key)));

/** The kind of a value under a rule. */
export const kindBy = (rule, value, node) => (rule.type && rule.type !== "any" ? rule.type : kindOfValue(value ?? rule.default, node));

const initials = /\b(api|cpu|css|dns|gpu|html|https?|id|ip|json|os|ssh|ssl|tls|toml|ui|uri|url|usb|utc|vpn|xml)\b/gi;

/** A name for people: 'font-size' is "Font size". */
export function spoken(name) {
  const words = name.replace(/[-_]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").trim().replace(initials, (word) => word.toUpperCase());
  return words === "" ? name : words[0].toUpperCase() + words.slice(1);
}

/** A setting's name for people: 'editor.font-size' is "Font size". */
export const titleOf = (key) => spoken(partsOf(key.key).at(-1) ?? "") || key.key;

/** The group of a key: what the schema says, or else the table that it is in. */
export function groupOf(key) {
  if (key.group) return key.group;
  const dot = key.key.lastIndexOf(".");
  if (dot < 0) return "";
  return /["']/.test(key.key) ? dotted(partsOf(key.key).slice(0, -1)) : key.key.slice(0, dot);
}

let findingsByKey = null;

/** What 'check' says of a key, and of what is within it. */
export function findingsOf(key) {
  findingsByKey ??= Map.groupBy(model.doc.findings, nameOf);
  return findingsByKey.get(key.key) ?? [];
}

/** The name of the key that a finding is about, or within; null if it is about none. */
export function nameOf({ key }) {
  if (!key || model.keys.has(key)) return key;
  for (let parts = partsOf(key); parts.length > 1;) {
    parts = parts.slice(0, -1);
    if (model.keys.has(dotted(parts))) return dotted(parts);
  }
  return null;
}

export const hasProblem = (key) => Boolean(key.problem) || findingsOf(key).length > 0;

/** What the server has in the place of a secret. */
export const placeholder = '"(not in the history)"';

/** A text as it is shown. What stands in the place of a secret has as many letters, so that a cursor stays where it is. */
export const readable = (text) => text.replaceAll(placeholder, '"(secret – not shown)"');

/** A layer in words. */
export function layerText(layer) {
  return {
    default: "the app's default", system: "administrators", declared: "your declared files", user: "your file",
    profile: "profile", project: "project", credential: "credential", environment: "environment", arguments: "arguments",
  }[layer] ?? layer;
}

/** Who made an entry of the history, in words. */
export function authorText(entry, file = model.doc?.file) {
  if (!entry || entry.reason === "outside") return "an editor or another program";
  if (isOwn(entry, file)) return "you, here";
  return entry.by ?? entry.program ?? "another program";
}

/** A value in words, short enough for a line. */
export function shortValue(value, most = 60) {
  if (isNone(value)) return "none";
  const text = typeof value === "string" ? value : jsonOf(value);
  if (text === "") return "empty text";
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
