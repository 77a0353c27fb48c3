// The search: over names, descriptions and values, with filters, tolerant of typos. A key press costs little: the texts
// are in lower case already, a longer word is looked for only where its beginning was found, and a mistyped word is
// compared only with words that can be near it.

import { api } from "./api.js";
import { hasProblem, isModified, model } from "./model.js";

/** What is known of each key: its name with the former ones, its description and its value, in lower case, in one text. */
let texts = [];
let indexed = null;
const recent = { text: "", since: 0, keys: null };

/** Has the index made again at the next search. */
export function forget() {
  indexed = null;
  recent.keys = null;
}

function index() {
  if (indexed === model.doc) return;
  const former = new Map(texts.map((text) => [text.key, text]));
  let isSame = texts.length === model.doc.keys.length;
  texts = model.doc.keys.map((key, place) => {
    const old = former.get(key.key);
    const isKnown = old && old.description === key.description;
    if (!isKnown || texts[place] !== old) isSame = false;
    if (isKnown && old.value === key.value && old.isSecret === key.isSecret && typeof key.value !== "object") return old;
    const name = key.key.toLowerCase();
    const names = key.formerly?.length ? `${name} ${key.formerly.join(" ").toLowerCase()}` : name;
    const head = `${names}\n${(key.description ?? "").toLowerCase()}\n`;
    const text = head + (key.isSecret ? "" : valueText(key.value).toLowerCase());
    // A joined text is copied into one piece when it is searched first. That is done here, not at the first key press.
    text.indexOf("\n");
    return { key: key.key, description: key.description, value: key.value, isSecret: key.isSecret, name: names.length, valueStart: head.length, text };
  });
  found.clear();
  indexed = model.doc;
  if (isSame) return;
  words = null;
  building = null;
  if (texts.length > 500) prepare();
}

/** A value as the text that is searched. */
export function valueText(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, (_, member) => (typeof member === "bigint" ? String(member) : member));
}

// MARK: Words for typos

/** The words of all names and descriptions: word → places, with a set of letters for each. */
let words = null;
let building = null;

function* build() {
  const places = new Map();
  for (let place = 0; place < texts.length; place += 1) {
    const { text, valueStart } = texts[place];
    for (const word of text.slice(0, valueStart).split(/[^\p{L}\p{N}]+/u)) {
      if (word.length < 3) continue;
      const list = places.get(word);
      if (!list) places.set(word, [place]);
      else if (list.at(-1) !== place) list.push(place);
    }
    if (place % 100 === 99) yield;
  }
  words = [];
  for (const [word, list] of places) {
    words.push({ word, letters: letters(word), places: list });
    if (words.length % 2000 === 0) yield;
  }
}

/** Collects the words while nothing else is to be done, so that the first typo need not wait for it. */
function prepare() {
  const mine = build();
  building = mine;
  const go = (deadline) => {
    if (building !== mine) return;
    while (deadline.timeRemaining() > 1) if (mine.next().done) return void (building = null);
    requestIdleCallback(go);
  };
  requestIdleCallback(go);
}

function vocabulary() {
  const rest = building ?? (words ? null : build());
  building = null;
  if (rest) while (!rest.next().done);
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

// MARK: Searching

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
 * occurs nowhere as typed. `note` says which filter is not known, or still waits for the history. `marks` are the words
 * to mark in what is shown.
 */
export function search(text, whenMore) {
  index();
  const query = parseQuery(text);
  const tests = [];
  let note = "";
  for (const filter of query.filters) {
    const test = makeTest(filter, whenMore);
    if (typeof test === "string") note = test;
    else tests.push(test);
  }
  const { keys } = model.doc;
  const accepts = (key) => tests.every((test) => test(key));
  if (query.words.length === 0) {
    return { keys: tests.length > 0 ? keys.filter(accepts) : keys, isRanked: false, isSimilar: false, note, marks: [] };
  }
  const parts = query.words.map(lookUp).sort((a, b) => a.places.length - b.places.length);
  const ranked = new Map();
  for (const place of parts[0].places) {
    let score = 0;
    for (const part of parts) {
      if (part.scores[place] === 0) {
        score = 0;
        break;
      }
      score += part.scores[place];
    }
    if (score === 0 || (tests.length > 0 && !accepts(keys[place]))) continue;
    const list = ranked.get(score);
    if (list) list.push(keys[place]);
    else ranked.set(score, [keys[place]]);
  }
  // Few scores are different, so their groups are sorted and not the keys.
  const best = [...ranked.keys()].sort((a, b) => b - a).flatMap((score) => ranked.get(score));
  return { keys: best, isRanked: true, isSimilar: parts.some((part) => part.isSimilar), note, marks: parts.flatMap((part) => part.marks) };
}

/** What was found for the words that were typed lately. */
const found = new Map();

/** The places of a word and how well it fits there. What does not have its beginning does not have the word. */
function lookUp(word) {
  let result = found.get(word);
  if (result) return result;
  let former = null;
  for (let end = word.length - 1; end > 0 && !former; end -= 1) former = found.get(word.slice(0, end)) ?? null;
  result = substring(word, former && !former.isSimilar ? former.places : former ? [] : null);
  if (result.places.length === 0) result = similar(word);
  if (found.size >= 40) found.delete(found.keys().next().value);
  found.set(word, result);
  return result;
}

function substring(word, within) {
  const scores = new Uint8Array(texts.length);
  const places = [];
  const count = within ? within.length : texts.length;
  for (let i = 0; i < count; i += 1) {
    const place = within ? within[i] : i;
    const { text, name, valueStart } = texts[place];
    const at = text.indexOf(word);
    if (at < 0) continue;
    let score = at < valueStart ? 20 : 10;
    if (at < name) {
      const before = at === 0 ? "." : text[at - 1];
      score = name === word.length ? 100 : before === "." ? 60 : before === "-" || before === "_" ? 50 : 40;
    }
    scores[place] = score;
    places.push(place);
  }
  return { scores, places, isSimilar: false, marks: [word] };
}

function similar(word) {
  const scores = new Uint8Array(texts.length);
  const most = word.length < 4 ? (word.length < 3 ? 0 : 1) : word.length < 7 ? 1 : 2;
  const marks = [];
  if (most > 0) {
    const own = letters(word);
    for (const entry of vocabulary()) {
      if (Math.abs(entry.word.length - word.length) > most || bits(entry.letters ^ own) > 2 * most) continue;
      const distance = editDistance(word, entry.word, most);
      if (distance > most) continue;
      if (marks.length < 40) marks.push(entry.word);
      for (const place of entry.places) scores[place] = Math.max(scores[place], 8 - distance);
    }
  }
  const places = [];
  for (let place = 0; place < scores.length; place += 1) if (scores[place] > 0) places.push(place);
  return { scores, places, isSimilar: true, marks };
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
