// The search: over names, descriptions and values, with filters, tolerant of typos. A key press costs little: each key has
// one text in lower case, and a mistyped word is compared only with words that can be near it.

import { api } from "./api.js";
import { hasProblem, isModified, isTable, model, shownOf } from "./model.js";
import { dotted, isNone, jsonOf } from "./toml.js";

/** What is known of each key: its name with the former ones, its description and its value, in lower case, in one text. */
let texts = [];
let indexed = null;
/** The words of all names and descriptions, with the places where they are; made at the first typo. */
let words = null;
const recent = { text: "", keys: null, problem: "" };

/** Has the index made again at the next search. */
export function forget() {
  indexed = null;
  recent.keys = null;
}

/** A text as it is compared: a letter with its accent may be one character or two. */
const plain = (text) => text.normalize().toLowerCase();

function index() {
  if (indexed === model.doc) return;
  indexed = model.doc;
  words = null;
  texts = model.doc.keys.map((key) => {
    const names = plain([key.key, ...(key.formerly ?? [])].join(" "));
    const head = `${names}\n${plain(key.description ?? "")}\n`;
    const text = key.isSecret ? head : head + plain(valueText(shownOf(key).value));
    // A joined text is copied into one piece when it is searched first. That is done here, not at the first key press.
    text.indexOf("\n");
    return { text, name: names.length, valueStart: head.length };
  });
}

/** A value as the text that is searched: what is within a list or table as it is shown, without the escapes of JSON. */
export function valueText(value) {
  if (isNone(value)) return "";
  if (typeof value === "string") return value;
  return jsonOf(value).replace(/\\(["\\])/g, "$1");
}

function vocabulary() {
  if (words) return words;
  words = new Map();
  texts.forEach(({ text, valueStart }, place) => {
    for (const word of new Set(text.slice(0, valueStart).split(/[^\p{L}\p{N}]+/u))) {
      if (word.length < 3) continue;
      if (words.has(word)) words.get(word).push(place);
      else words.set(word, [place]);
    }
  });
  return words;
}

/** Parses what was typed. */
export function parseQuery(text) {
  const parts = plain(text.trim()).split(/\s+/).filter((part) => part !== "" && part !== "@");
  return {
    words: parts.filter((part) => !part.startsWith("@")),
    filters: parts.filter((part) => part.startsWith("@")).map((part) => {
      const [name, argument = ""] = part.slice(1).split(/:(.*)/s);
      return { name, argument };
    }),
  };
}

/**
 * Finds keys: the best first if there are words, else in the order of the document. `isSimilar` says that some word
 * occurs nowhere as typed. `note` says which filter is not known, or still waits for the history. `marks` are the words
 * to mark in what is shown.
 */
export function search(text, whenMore) {
  index();
  const query = parseQuery(text);
  const made = query.filters.map((filter) => makeTest(filter, whenMore));
  const tests = made.filter((test) => typeof test !== "string");
  const note = made.findLast((test) => typeof test === "string") ?? "";
  const { keys } = model.doc;
  const accepts = (key) => tests.every((test) => test(key));
  if (query.words.length === 0) {
    return { keys: tests.length > 0 ? keys.filter(accepts) : keys, isRanked: false, isSimilar: false, note, marks: [] };
  }
  const parts = query.words.map(lookUp);
  // Few scores are different, so their groups are sorted and not the keys.
  const ranked = Map.groupBy(keys, (key, place) => {
    const score = parts.reduce((sum, { scores }) => (scores[place] === 0 ? 0 : sum && sum + scores[place]), 1);
    return score > 0 && accepts(key) ? score : 0;
  });
  ranked.delete(0);
  const best = [...ranked].sort(([a], [b]) => b - a).flatMap(([, list]) => list);
  return { keys: best, isRanked: true, isSimilar: parts.some((part) => part.isSimilar), note, marks: parts.flatMap((part) => part.marks) };
}

/** How well each place fits a word: as it is typed, or else with typos. */
function lookUp(word) {
  let isThere = false;
  let isPath = false;
  const scores = Uint8Array.from(texts, ({ text, name, valueStart }, place) => {
    const at = text.indexOf(word);
    if (at < 0) {
      if (!word.includes(".") || !leadsInto(model.doc.keys[place], word)) return 0;
      isPath = true;
      return 60;
    }
    isThere = true;
    if (at >= name) return at < valueStart ? 20 : 10;
    if (name === word.length) return 100;
    return { ".": 60, "-": 50, _: 50 }[at === 0 ? "." : text[at - 1]] ?? 40;
  });
  return isThere || isPath ? { scores, isSimilar: false, marks: isPath ? [word, ...word.split(".")] : [word] } : similar(word);
}

/** Whether a dotted path is that of a member of a table or a record, or the beginning of one. */
function leadsInto(key, path) {
  const isWithin = (name, value, rest) => isTable(value) && rest.startsWith(`${plain(name)}.`)
    && Object.entries(value).some(([member, inner]) => {
      const part = dotted([member]);
      const left = rest.slice(plain(name).length + 1);
      return plain(part).startsWith(left) || isWithin(part, inner, left);
    });
  return !key.isSecret && isWithin(key.key, shownOf(key).value, path);
}

function similar(word) {
  const scores = new Uint8Array(texts.length);
  const most = word.length < 3 ? 0 : word.length < 7 ? 1 : 2;
  const marks = [];
  for (const [other, places] of most > 0 ? vocabulary() : []) {
    const distance = editDistance(word, other, most);
    if (distance > most) continue;
    if (marks.length < 40) marks.push(other);
    for (const place of places) scores[place] = Math.max(scores[place], 8 - distance);
  }
  return { scores, isSimilar: true, marks };
}

/** How many letters were mistyped, left out, added or swapped, if they are not more than `most`. */
function editDistance(a, b, most) {
  if (Math.abs(a.length - b.length) > most) return Infinity;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  if (at === a.length && at === b.length) return 0;
  if (most === 0) return Infinity;
  const rest = (left, right) => editDistance(a.slice(at + left), b.slice(at + right), most - 1);
  const isSwapped = a[at] === b[at + 1] && a[at + 1] === b[at];
  return 1 + Math.min(rest(1, 1), rest(1, 0), rest(0, 1), isSwapped ? rest(2, 2) : Infinity);
}

/** The test of a filter, or else what is wrong with it, as a text. */
export function makeTest({ name, argument }, whenMore) {
  switch (name) {
    case "modified": return isModified;
    case "locked": return (key) => key.isLocked;
    case "secret": return (key) => key.isSecret;
    case "problem": return hasProblem;
    case "layer": return (key) => argument === "" || key.layers.some((layer) => layer.layer.startsWith(argument))
      || (key.isDefault && "default".startsWith(argument));
    case "since": return since(argument, whenMore);
    default: return `There is no filter '@${name}'.`;
  }
}

/** The keys that the history has since some time. The history is asked once for each time. */
function since(argument, whenMore) {
  const match = /^(\d+)([mhdw])$/.exec(argument);
  if (!match) return "'@since:' takes an age, such as 30m, 3h, 2d or 1w.";
  if (recent.text !== argument || !recent.keys) {
    recent.text = argument;
    const keys = new Set();
    recent.keys = keys;
    recent.problem = "";
    const start = Date.now() - Number(match[1]) * { m: 6e4, h: 36e5, d: 864e5, w: 6048e5 }[match[2]];
    api.history(null, 1000).catch((error) => {
      if (recent.keys === keys) recent.problem = error.message;
      return [];
    }).then((entries) => {
      // It may be asked about another age, text or app by now.
      if (recent.keys !== keys) return;
      for (const entry of entries) {
        if (new Date(entry.time).getTime() < start) continue;
        for (const change of entry.changes) keys.add(change.key);
      }
      whenMore?.();
    });
  }
  const { keys, problem } = recent;
  if (problem !== "") return problem;
  return (key) => {
    if (keys.has(key.key) || key.formerly?.some((name) => keys.has(name))) return true;
    const within = `${key.key}.`;
    for (const changed of keys) if (changed.startsWith(within)) return true;
    return false;
  };
}
