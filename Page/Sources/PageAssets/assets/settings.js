// The settings that the search asks for, by groups; and the one that is selected.

import { $, button, el, keepFocus } from "./dom.js";
import { LongList } from "./list.js";
import { setMarks } from "./marks.js";
import { emit, groupOf, hasProblem, isModified, model, spoken } from "./model.js";
import { Row, rowOf } from "./row.js";
import { forget, makeTest, parseQuery, search } from "./search.js";
import { partsOf } from "./toml.js";
import * as file from "./file.js";

const searchField = $("search");
let selected = null;
let shownKeys = [];
let descriptions = new Map();

/** The keys that the search has found. */
export const shown = () => shownKeys;

const list = new LongList($("list"), {
  build: (item, former) => {
    if (!item.key) return groupHead(item);
    const row = former ? rowOf(former) : new Row(item.key);
    if (former) row.update();
    row.element.classList.toggle("selected", item.key === selected);
    return row.element;
  },
  isKept: (element) => element.matches("[data-open]"),
});

function groupHead(item) {
  return el("div", { class: "group-head" }, el("h2", {}, nameOf(item.group)),
    item.description && el("p", {}, item.description));
}

const nameOf = (group) => (group === "" ? "General" : partsOf(group).map(spoken).join(" › "));

/** The rows that were made, also those that are not in the document. */
export const rows = () => list.elements().map(rowOf).filter(Boolean);

// MARK: The list

/** Shows the keys that the search asks for. */
export function showList({ keepsPlace = false } = {}) {
  const text = searchField.value;
  const result = search(text, () => showList());
  shownKeys = result.keys;
  setMarks(result.marks);
  if (!keepsPlace && $("settings").scrollTop !== 0) $("settings").scrollTop = 0;
  const items = result.isRanked ? result.keys : withHeads(result.keys);
  if (sameItems(items)) {
    list.items = items;
    updateRows();
  } else {
    const focused = document.activeElement?.closest?.(".row");
    const at = focused ? list.items.findIndex((item) => item.key === focused.dataset.key) : -1;
    list.set(items, { keepsPlace });
    // What had the focus is gone with its setting: the next one has its place.
    if (keepsPlace && at >= 0 && !$("list").contains(document.activeElement)) {
      const key = list.items.slice(at).find((item) => item.key)?.key ?? list.items.findLast((item) => item.key)?.key;
      list.reveal((item) => item.key === key)?.focus({ preventScroll: true });
    }
  }
  const count = result.note || countText(result, text);
  if ($("count").textContent !== count) $("count").textContent = count;
  showFilters(parseQuery(text));
  showEmpty(text);
}

/** Has the page search as if somebody had typed it. */
export function searchFor(text) {
  searchField.value = text;
  searchField.dispatchEvent(new Event("input"));
}

/** Says why there is nothing, and the way on. */
function showEmpty(text) {
  const box = $("empty");
  box.hidden = shownKeys.length > 0;
  if (box.hidden) return;
  const isSearch = text.trim() !== "";
  box.replaceChildren(el("h2", {}, isSearch ? "No setting fits" : "No settings yet"),
    el("p", {}, isSearch ? `Nothing here has “${text.trim()}” in its name, description or value.`
      : "This app describes no settings, and its file has none. Write one into the text of the file, or with 'settings-cli set'."),
    isSearch && el("div", { class: "notice-buttons" }, button("Clear the search", () => {
      searchFor("");
      searchField.focus();
    }, { class: "primary" }), button("Search all apps", () => emit("elsewhere", text))) || "");
}

const sameItems = (items) => list.items.length > 0 && list.items.length === items.length
  && items.every((item, at) => item.key === list.items[at].key && item.group === list.items[at].group);

/** Shows what has become of the rows that are in the document. */
export function updateRows(f) {
  list.each((item, element) => {
    if (!item.key) return;
    rowOf(element).update();
    f?.(rowOf(element));
  });
}

/** The keys, those of a group together and below its head. */
const withHeads = (keys) => grouped(keys).flatMap(([group, members]) => [{ group, description: descriptions.get(group) }, ...members]);

/** The keys without a group are the first; then the groups in the schema's order, and others as they appear. */
function grouped(keys) {
  const groups = Map.groupBy(keys, groupOf);
  const names = new Set(["", ...descriptions.keys(), ...groups.keys()]);
  return [...names].filter((group) => groups.has(group)).map((group) => [group, groups.get(group)]);
}

function countText({ keys, isSimilar }, text) {
  const all = model.doc.keys.length;
  if (text.trim() === "") return all === 1 ? "1 setting" : `${all.toLocaleString()} settings`;
  if (keys.length === 0) return "Nothing found";
  return isSimilar ? `Nothing has these words; ${keys.length.toLocaleString()} similar` : `${keys.length.toLocaleString()} of ${all.toLocaleString()} settings`;
}

/** Has the settings that somebody types into stay, without a value, although the document has them no more. */
function keepDrafts(before) {
  for (const row of rows()) {
    const at = before.keys.findIndex(({ key }) => key === row.name);
    if (at < 0 || model.keys.has(row.name) || !row.control?.isDirty()) continue;
    const key = { ...before.keys[at], isGone: true, value: null, toml: null, span: null, layers: [], problem: null };
    model.doc = { ...model.doc, keys: model.doc.keys.toSpliced(at, 0, key) };
    model.keys.set(row.name, key);
  }
}

/** Shows another document. */
export function showDocument(before) {
  if (before) keepDrafts(before);
  descriptions = new Map((model.doc.groups ?? []).map((group) => [group.path, group.description]));
  forget();
  showList({ keepsPlace: before !== null });
  showGroups();
}

/** Forgets all settings. */
export function clear() {
  list.reset();
  selected = null;
  searchField.value = "";
}

function showGroups() {
  const nav = $("groups");
  const groups = grouped(model.doc.keys);
  nav.hidden = groups.length < 2;
  if (nav.hidden) return;
  const go = (group) => {
    searchFor("");
    const at = list.items.findIndex((item) => item.group === group && !item.key);
    list.reveal((item) => item === list.items[at])?.scrollIntoView({ block: "start" });
    list.reveal((item) => item === list.items[at + 1])?.focus({ preventScroll: true });
  };
  keepFocus(nav, () => nav.replaceChildren(el("ul", {}, groups.slice(0, 300).map(([group, keys]) => {
    const changed = keys.filter(isModified).length;
    const problems = keys.filter(hasProblem).length;
    const depth = Math.min(3, partsOf(group).length - 1);
    return el("li", { class: `depth-${depth}` }, el("button", { type: "button", class: "group-link", "data-name": group, onclick: () => go(group) },
      el("span", {}, nameOf(group).split(" › ").at(-1)),
      problems > 0 && el("span", { class: "group-count problem" }, problems === 1 ? "1 problem" : `${problems} problems`),
      changed > 0 && el("span", { class: "group-count" }, `${changed} modified`)));
  }))));
}

/** What can be chosen: a filter of the search, and its words. */
const chips = [
  ["@modified", "modified", "Set in your file"], ["@problem", "with a problem", "With a mistake or a warning"],
  ["@locked", "locked", "Locked by administrators"], ["@secret", "secret", "Values that are never shown"],
  ["@layer:system", "managed", "With a value from administrators"], ["@since:1d", "Recent", "Changed within a day"],
];

let counted = null;

/** Shows the filters that have settings, and those that are chosen. */
function showFilters(query) {
  const box = $("filters");
  const chosen = new Set(query.filters.map(({ name, argument }) => `@${name}${argument === "" ? "" : `:${argument}`}`));
  if (counted !== model.doc) {
    counted = model.doc;
    keepFocus(box, () => box.replaceChildren(...chips.map(([word, what, title]) => {
      const [filter] = parseQuery(word).filters;
      // What is recent, only the history knows.
      const count = filter.name === "since" ? null : model.doc.keys.filter(makeTest(filter)).length;
      return button(count === null ? what : `${count.toLocaleString()} ${what}`, () => toggleFilter(word), { class: "filter", title, "data-name": word, "data-count": count ?? (model.doc.keepsHistory ? 1 : 0) });
    })));
  }
  box.hidden = false;
  for (const chip of box.children) {
    const isChosen = chosen.has(chip.dataset.name);
    if (chip.getAttribute("aria-pressed") !== String(isChosen)) chip.setAttribute("aria-pressed", String(isChosen));
    chip.hidden = chip.dataset.count === "0" && !isChosen;
  }
}

function toggleFilter(word) {
  const words = searchField.value.split(/\s+/).filter((part) => part !== "");
  searchFor((words.includes(word) ? words.filter((part) => part !== word) : [...words, word]).join(" "));
}

// MARK: One setting

function mark(key, { scrolls = false } = {}) {
  selected = key;
  list.each((item, element) => {
    if (item.key) element.classList.toggle("selected", item.key === key);
  });
  lightSelected({ scrolls });
}

/** Lights the lines of the selected setting in the file. */
export function lightSelected({ scrolls = false } = {}) {
  const span = selected === null ? null : model.keys.get(selected)?.span;
  file.light(span ? { line: span.line, endLine: span.endLine } : null, { scrolls });
}

export function goTo(key) {
  let element = list.reveal((item) => item.key === key);
  if (!element) {
    searchFor("");
    element = list.reveal((item) => item.key === key);
  }
  if (!element) return;
  element.scrollIntoView({ block: "center" });
  element.focus({ preventScroll: true });
  mark(key);
}

/** Selects a setting, and has it in sight where the list scrolls by itself. The focus stays where it is. */
export function select(key) {
  const element = list.reveal((item) => item.key === key);
  if (!element) return;
  if (getComputedStyle($("settings")).overflowY === "auto") element.scrollIntoView({ block: "nearest" });
  mark(key);
}

/** Goes on by a number of settings. */
export function step(by) {
  const { items } = list;
  let at = selected === null ? -1 : items.findIndex((item) => item.key === selected);
  const way = at < 0 || by >= 0 ? 1 : -1;
  if (at < 0) at = 0;
  else at += by;
  while (at >= 0 && at < items.length && !items[at].key) at += way;
  if (at < 0 || at >= items.length) return;
  const element = list.reveal((item) => item === items[at]);
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "nearest" });
}

/** The row with the focus. */
export const focused = () => rowOf(document.activeElement?.closest?.(".row") ?? document.body);

/** The row with the focus, or else the selected one. */
export const current = () => focused() ?? rowOf((selected && list.reveal((item) => item.key === selected)) ?? document.body);

$("list").addEventListener("focusin", (event) => {
  const row = event.target.closest(".row");
  if (row && row.dataset.key !== selected) mark(row.dataset.key, { scrolls: true });
});
