// The search: over names, descriptions and values, with filters, tolerant of typos. It looks at every key at each key
// press, so it keeps lower-case texts, and compares a mistyped word only with words that can be near it.

import { api } from "./api.js";
import { hasProblem, isModified, model } from "./model.js";

/** What can be typed after `@`. */
export const filters = [
  ["@modified", "set in your file"],
  ["@locked", "locked by an administrator"],
  ["@secret", "secrets"],
  ["@problem", "with a mistake or a warning"],
  ["@layer:", "with a value from a layer, such as system"],
  ["@since:", "changed since, such as 2d or 3h"],
];

let texts = [];
let words = null;
let indexed = null;
const recent = { text: "", since: 0, keys: null };

/** Has the index made again at the next search. */
export function forget() {
  indexed = null;
  recent.keys = null;
}

function index() {
  if (indexed === model.doc) return;
  const old = new Map(texts.map((text) => [text.key, text]));
  texts = model.doc.keys.map((key, place) => {
    const value = key.isSecret || key.value === null || key.value === undefined ? ""
      : typeof key.value === "string" ? key.value.toLowerCase() : lower(key.value);
    const former = old.get(key.key);
    if (former && former.source === key.description) {
      former.place = place;
      former.value = value;
      return former;
    }
    const name = key.key.toLowerCase();
    const formerly = key.formerly?.length ? ` ${key.formerly.join(" ").toLowerCase()}` : "";
    return { key: key.key, place, name: name + formerly, spoken: name.replace(/[-_.]/g, " "), source: key.description,
      description: (key.description ?? "").toLowerCase(), value };
  });
  words = null;
  indexed = model.doc;
}

const lower = (value) =>
  JSON.stringify(value, (_, member) => (typeof member === "bigint" ? String(member) : member)).toLowerCase();

/** The words of all names and descriptions: word → places, with a set of letters for each. */
function vocabulary() {
  if (words) return words;
  const places = new Map();
  texts.forEach((text, place) => {
    for (const word of new Set(`${text.name} ${text.description}`.split(/[^\p{L}\p{N}]+/u))) {
      if (word.length < 3) continue;
      const list = places.get(word);
      if (list) list.push(place);
      else places.set(word, [place]);
    }
  });
  words = [...places].map(([word, list]) => ({ word, letters: letters(word), places: list }));
  return words;
}

function letters(word) {
  let set = 0;
  for (let i = 0; i < word.length; i += 1) set |= 1 << (word.charCodeAt(i) % 31);
  return set;
}

function bits(set) {
  let count = 0;
  for (; set !== 0; set &= set - 1) count += 1;
  return count;
}

/** Parses what was typed. */
export function parseQuery(text) {
  const query = { words: [], filters: [] };
  for (const word of text.trim().toLowerCase().split(/\s+/)) {
    if (word === "") continue;
    if (!word.startsWith("@")) query.words.push(word);
    else if (word.length > 1) {
      const [name, argument = ""] = word.slice(1).split(/:(.*)/s);
      query.filters.push({ name, argument });
    }
  }
  return query;
}

/**
 * Finds keys: the best first if there are words, else in the order of the document. `isSimilar` says that some word
 * occurs nowhere as typed. `note` says which filter is not known, or still waits for the history.
 */
export function search(text, whenMore) {
  index();
  const query = parseQuery(text);
  const { keys } = model.doc;
  let isSimilar = false;
  let scores = null;
  for (const word of query.words) {
    let found = substring(word);
    if (!found.some) {
      found = similar(word);
      isSimilar = true;
    }
    if (!scores) scores = found.scores;
    else for (let i = 0; i < scores.length; i += 1) scores[i] = scores[i] && found.scores[i] ? scores[i] + found.scores[i] : 0;
  }
  const tests = [];
  let note = "";
  for (const filter of query.filters) {
    const test = makeTest(filter, whenMore);
    if (typeof test === "string") note = test;
    else tests.push(test);
  }
  const found = [];
  for (let i = 0; i < keys.length; i += 1) {
    if (scores && scores[i] === 0) continue;
    if (tests.every((test) => test(keys[i]))) found.push(i);
  }
  if (scores) found.sort((a, b) => scores[b] - scores[a] || a - b);
  return { keys: found.map((i) => keys[i]), isRanked: scores !== null, isSimilar, note };
}

function substring(word) {
  const scores = new Uint16Array(texts.length);
  let some = false;
  for (let i = 0; i < texts.length; i += 1) {
    const text = texts[i];
    let score = 0;
    const at = text.name.indexOf(word);
    if (at >= 0) {
      const before = at === 0 ? "." : text.name[at - 1];
      score = text.name.length === word.length ? 100 : before === "." ? 60 : before === "-" || before === "_" ? 50 : 40;
    } else if (text.spoken.includes(word)) score = 40;
    else if (text.description.includes(word)) score = 20;
    else if (text.value !== "" && text.value.includes(word)) score = 10;
    if (score > 0) {
      scores[i] = score;
      some = true;
    }
  }
  return { scores, some };
}

function similar(word) {
  const scores = new Uint16Array(texts.length);
  const most = word.length < 4 ? (word.length < 3 ? 0 : 1) : word.length < 7 ? 1 : 2;
  if (most === 0) return { scores };
  const own = letters(word);
  for (const entry of vocabulary()) {
    if (Math.abs(entry.word.length - word.length) > most || bits(entry.letters ^ own) > 2 * most) continue;
    const distance = editDistance(word, entry.word, most);
    if (distance > most) continue;
    for (const place of entry.places) scores[place] = Math.max(scores[place], 8 - distance);
  }
  return { scores };
}

const rows = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)];

/** How many letters were mistyped, left out, added or swapped; more than `most` if it is more. */
function editDistance(a, b, most) {
  if (a.length > 60 || b.length > 60) return most + 1;
  let [before, last, next] = rows;
  for (let j = 0; j <= b.length; j += 1) last[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    next[0] = i;
    let best = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(last[j] + 1, next[j - 1] + 1, last[j - 1] + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2] + 1);
      next[j] = cost;
      if (cost < best) best = cost;
    }
    if (best > most) return most + 1;
    [before, last, next] = [last, next, before];
  }
  return last[b.length];
}

function makeTest({ name, argument }, whenMore) {
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
    recent.keys = new Set();
    const start = Date.now() - Number(match[1]) * { m: 6e4, h: 36e5, d: 864e5, w: 6048e5 }[match[2]];
    api.history(null, 1000).catch(() => []).then((entries) => {
      if (recent.text !== argument) return;
      for (const entry of entries) {
        if (new Date(entry.time).getTime() < start) continue;
        for (const change of entry.changes) recent.keys.add(change.key);
      }
      whenMore?.();
    });
  }
  const { keys } = recent;
  return (key) => {
    if (keys.has(key.key) || key.formerly?.some((name) => keys.has(name))) return true;
    const within = `${key.key}.`;
    for (const changed of keys) if (changed.startsWith(within)) return true;
    return false;
  };
}
