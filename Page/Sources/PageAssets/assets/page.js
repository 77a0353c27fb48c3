// The page: begins, and connects its parts.

import { api, begin as beginSession, currentApp, isOwn, Refusal, useApp, writesDone } from "./api.js";
import { announce, button, el } from "./dom.js";
import { follow } from "./events.js";
import { LongList } from "./list.js";
import { authorText, emit, endTrial, groupOf, hasProblem, isModified, model, on, refresh, shortValue, startTrial, titleOf } from "./model.js";
import { openCopy } from "./copy.js";
import { Row, rowOf } from "./row.js";
import { filters, forget, parseQuery, search } from "./search.js";
import { begin as beginShortcuts, openHelp } from "./shortcuts.js";
import { findInApps, showApps } from "./start.js";
import * as file from "./file.js";
import * as notices from "./notices.js";

const $ = (id) => document.getElementById(id);
const shell = $("shell");
const searchField = $("search");
let selected = null;
let shownKeys = [];
let stream = null;

const list = new LongList($("list"), {
  build: (item, former) => {
    if (!item.key) return groupHead(item);
    const row = former && rowOf(former);
    if (!row) return new Row(item.key).element;
    row.update();
    return former;
  },
  height: (item) => (item.key ? 112 : 84),
});

function groupHead(item) {
  return el("div", { class: "group-head" }, el("h2", {}, item.group === "" ? "General" : item.group.split(".").map(spoken).join(" › ")),
    item.description && el("p", {}, item.description));
}

const spoken = (part) => {
  const text = part.replace(/[-_]+/g, " ").replace(/"/g, "");
  return text === "" ? part : text[0].toUpperCase() + text.slice(1);
};

// MARK: The list

/** Shows the keys that the search asks for. */
function showList({ keepsPlace = false } = {}) {
  const text = searchField.value;
  const result = search(text, () => showList());
  shownKeys = result.keys;
  const items = [];
  let group = null;
  if (result.isRanked) for (const key of result.keys) items.push({ id: key.key, key: key.key });
  else {
    for (const key of grouped(result.keys)) {
      const next = groupOf(key);
      if (next !== group) {
        group = next;
        items.push({ group, description: descriptions.get(group) });
      }
      items.push({ id: key.key, key: key.key });
    }
  }
  if (sameItems(items)) {
    if (!keepsPlace) $("settings").scrollTop = 0;
    list.each((item, element) => {
      if (item.key) rowOf(element).update();
    });
  } else {
    const focused = document.activeElement?.closest?.(".row")?.dataset.key;
    if (!keepsPlace) $("settings").scrollTop = 0;
    list.set(items);
    if (keepsPlace && focused) list.reveal((item) => item.key === focused)?.focus();
  }
  $("count").textContent = result.note || countText(result, text);
  showFilters(parseQuery(text));
  if (selected) mark(selected);
}

const sameItems = (items) => list.items?.length === items.length
  && items.every((item, at) => item.key === list.items[at].key && item.group === list.items[at].group);

function countText({ keys, isSimilar }, text) {
  const all = model.doc.keys.length;
  if (text.trim() === "") return all === 1 ? "1 setting" : `${all.toLocaleString()} settings`;
  if (keys.length === 0) return "Nothing found";
  return isSimilar ? `Nothing has these words; ${keys.length.toLocaleString()} similar` : `${keys.length.toLocaleString()} of ${all.toLocaleString()} settings`;
}

let descriptions = new Map();
let order = new Map();

/** The keys, those of a group together, in the order in which the groups first appear. Those without one are first. */
function grouped(keys) {
  const groups = new Map([["", []]]);
  for (const key of keys) {
    const group = groupOf(key);
    if (groups.has(group)) groups.get(group).push(key);
    else groups.set(group, [key]);
  }
  order = groups;
  return [...groups.values()].flat();
}

function showGroups() {
  const nav = $("groups");
  const groups = [...order].filter(([, keys]) => keys.length > 0);
  nav.hidden = groups.length < 2;
  shell.classList.toggle("has-groups", !nav.hidden);
  if (nav.hidden) return;
  const go = (group) => {
    searchField.value = "";
    showList();
    const element = list.reveal((item) => item.group === group);
    element?.scrollIntoView({ block: "start" });
    const first = element?.nextElementSibling ?? element?.parentElement.nextElementSibling?.querySelector(".row");
    first?.focus({ preventScroll: true });
  };
  nav.replaceChildren(el("ul", {}, groups.slice(0, 300).map(([group, keys]) => {
    const changed = keys.filter(isModified).length;
    const problems = keys.filter(hasProblem).length;
    const depth = Math.min(3, group.split(".").length - 1);
    return el("li", { class: `depth-${depth}` }, el("button", { type: "button", class: "group-link", onclick: () => go(group) },
      el("span", {}, group === "" ? "General" : spoken(group.split(".").at(-1))),
      problems > 0 ? el("span", { class: "group-count problem" }, `${problems}`, el("span", { class: "offscreen" }, " with a problem"))
        : changed > 0 && el("span", { class: "group-count" }, `${changed}`, el("span", { class: "offscreen" }, " modified"))));
  })));
}

function showFilters(query) {
  const box = $("filters");
  box.hidden = false;
  const pressed = new Set(query.filters.map((filter) => filter.name));
  if (box.childElementCount === 0) {
    box.append(...filters.map(([word, what]) => button(word, (event) => toggleFilter(word, event.currentTarget), { class: "filter", title: what, "aria-pressed": "false" })));
  }
  [...box.children].forEach((child, at) => child.setAttribute("aria-pressed", String(pressed.has(filters[at][0].slice(1).replace(":", "")))));
}

function toggleFilter(word, source) {
  const name = word.replace(":", "");
  const rest = searchField.value.split(/\s+/).filter((part) => part !== "" && part.replace(/:.*/, "") !== name);
  if (source.getAttribute("aria-pressed") !== "true") rest.push(word);
  searchField.value = rest.join(" ");
  showList();
  if (word.endsWith(":") && searchField.value.endsWith(":")) searchField.focus();
}

// MARK: One setting

function mark(key, { scrolls = false } = {}) {
  selected = key;
  list.each((item, element) => {
    if (item.key) element.classList.toggle("selected", item.key === key);
  });
  const span = model.keys.get(key)?.span;
  file.light(span ? { line: span.line, endLine: span.endLine } : null, { scrolls });
}

function goTo(key) {
  let element = list.reveal((item) => item.key === key);
  if (!element) {
    searchField.value = "";
    showList();
    element = list.reveal((item) => item.key === key);
  }
  if (!element) return;
  element.scrollIntoView({ block: "center" });
  element.focus({ preventScroll: true });
  mark(key);
}

function step(by) {
  const keys = list.items?.filter((item) => item.key).map((item) => item.key) ?? [];
  const at = keys.indexOf(selected);
  const next = keys[at < 0 ? 0 : Math.max(0, Math.min(keys.length - 1, at + by))];
  if (!next) return;
  const element = list.reveal((item) => item.key === next);
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "nearest" });
}

const current = () => {
  const element = document.activeElement?.closest?.(".row") ?? (selected && list.reveal((item) => item.key === selected));
  return element ? rowOf(element) : null;
};

$("list").addEventListener("focusin", (event) => {
  const row = event.target.closest(".row");
  if (row && row.dataset.key !== selected) mark(row.dataset.key, { scrolls: true });
});

// MARK: The document

on("document", (before) => {
  const { doc } = model;
  descriptions = new Map((doc.groups ?? []).map((group) => [group.path, group.description]));
  forget();
  document.title = `${doc.target} – Settings`;
  $("app-name").textContent = doc.target;
  showProfiles();
  notices.show();
  showList({ keepsPlace: before !== null });
  showGroups();
  file.show();
  if (selected) mark(selected);
});

function showProfiles() {
  const { profiles, profile } = model.doc;
  $("profile-box").hidden = !profiles || profiles.length === 0;
  $("profile").replaceChildren(el("option", { value: "" }, "none"), ...(profiles ?? []).map((name) => el("option", { value: name }, name)));
  $("profile").value = profile ?? "";
}

/** What an event of the stream says is a hint: the document is read again. */
async function hear(name, data) {
  if (!model.doc && name !== "open" && name !== "closed") return;
  if (name === "open" || name === "closed") {
    const wasConnected = model.isConnected;
    model.isConnected = name === "open";
    if (wasConnected !== model.isConnected) {
      emit("connection");
      if (model.isConnected) await refresh().catch(() => {});
    }
    return;
  }
  if (name === "trial") {
    if (data?.state === "started") {
      if (model.trial?.id !== data.id) startTrial(data.id, data.seconds, data.keys);
    } else if (model.trial?.id === data?.id) {
      endTrial();
      if (data.state === "undone") announce("The change was taken back.");
      if (data.state === "failed") notices.fail(data.message ?? "The change could not be taken back.");
    }
    return;
  }
  if (name === "problem" && data?.message) notices.fail(data.message);
  if (name === "state") {
    // From here on no change is missed. One may have been made since the document was read, in any file.
    await refresh().catch(() => {});
    document.documentElement.dataset.live = currentApp();
    return;
  }
  if (name === "change") {
    // Only then is it clear whose change it is.
    await writesDone();
    noteChanges(data);
  }
  // What the page has just read itself need not be read again.
  const isKnown = data?.digest === model.doc?.digest && data?.text !== false && !data?.layers && !data?.schema;
  if (!isKnown) await refresh().catch(() => {});
  if (name === "change") showChanges(data);
}

function noteChanges(data) {
  const by = authorText(data?.entry);
  for (const change of data?.changes ?? []) {
    const name = ownerOf(change.key);
    if (name) model.changes.set(name, { by, time: data.entry?.time ?? new Date().toISOString() });
  }
}

/** The key of the document that a changed key is, or is within. */
function ownerOf(name) {
  if (model.keys.has(name)) return name;
  for (let end = name.lastIndexOf("."); end > 0; end = name.lastIndexOf(".", end - 1)) {
    if (model.keys.has(name.slice(0, end))) return name.slice(0, end);
  }
  return null;
}

/** Lets the rows of a change light up, and says it. */
function showChanges(data) {
  const changes = data?.changes ?? [];
  const names = new Set(changes.map((change) => ownerOf(change.key)));
  list.each((item, element) => {
    if (!names.has(item.key)) return;
    rowOf(element).update();
    if (!isOwn(data.entry)) rowOf(element).flash();
  });
  if (changes.length === 0 || isOwn(data.entry)) return;
  const key = model.keys.get(changes[0].key);
  const what = changes.length > 1 ? `${changes.length} settings` : key ? titleOf(key) : changes[0].key;
  const value = changes.length === 1 && key && !key.isSecret ? ` to ${shortValue(key.value)}` : "";
  announce(`${authorText(data.entry)} changed ${what}${value}.`);
}

// MARK: Apps

async function open(app, key) {
  const former = stream;
  useApp(app);
  model.doc = null;
  list.reset();
  selected = null;
  model.changes.clear();
  searchField.value = "";
  $("tools").hidden = false;
  $("all-apps").hidden = false;
  shell.classList.add("has-app");
  try {
    await refresh();
    performance.mark("settings");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    $("list").replaceChildren(el("p", { class: "empty", role: "alert" }, error.message));
    if (error.http === 0) return;
  }
  stream = new AbortController();
  follow(app, stream.signal, hear);
  former?.abort();
  file.redraw();
  if (key) goTo(key);
}

function showStart() {
  // The former app's stream goes on, since the server ends with its last one.
  model.doc = null;
  list.reset();
  useApp("");
  document.title = "Settings";
  $("app-name").textContent = "Settings";
  for (const id of ["tools", "all-apps", "groups", "filters"]) $(id).hidden = true;
  shell.classList.remove("has-app", "has-groups");
  return showApps($("list"), $("count"), open);
}

// MARK: The beginning

$("notices").append(notices.element);
shell.append(file.pane);
file.begin(goTo);

const isWide = matchMedia("(min-width: 68rem)");
function showFile(shows) {
  shell.classList.toggle("with-file", shows);
  $("toggle-file").setAttribute("aria-pressed", String(shows));
  if (shows) file.redraw();
}
showFile(isWide.matches);
on("place", () => undefined);

// Before the pane's own listener the pane has to be there.
const showPlace = () => {
  if (!shell.classList.contains("with-file")) showFile(true);
};
on("selected", goTo);

searchField.addEventListener("input", () => (model.doc ? showList() : findInApps($("list"), $("count"), searchField.value, open)));
$("search-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (model.doc && shownKeys.length > 0) step(0);
});
$("profile").addEventListener("change", async (event) => {
  try {
    await api.profile(event.target.value || null);
    await refresh();
    announce(event.target.value ? `The profile ${event.target.value} is active.` : "No profile is active.");
  } catch (error) {
    notices.fail(error.message);
    showProfiles();
  }
});

function setTries(tries) {
  model.tries = tries;
  $("try").setAttribute("aria-pressed", String(tries));
  announce(tries ? "The next change comes back after 15 seconds unless you keep it." : "Changes are kept.");
}
$("try").addEventListener("click", () => setTries(!model.tries));
on("trial", () => $("try").setAttribute("aria-pressed", String(model.tries)));
$("copy").addEventListener("click", () => openCopy(shownKeys));
$("toggle-file").addEventListener("click", () => showFile(!shell.classList.contains("with-file")));
$("help").addEventListener("click", openHelp);
$("all-apps").addEventListener("click", showStart);
$("stop").addEventListener("click", async () => {
  stream?.abort();
  await api.end().catch(() => {});
  document.body.replaceChildren(el("main", { class: "main" }, el("p", { class: "empty" }, "The settings page has ended. You can close this tab.")));
});

beginShortcuts({
  "/": () => {
    searchField.focus();
    searchField.select();
  },
  j: () => step(1),
  k: () => step(-1),
  Enter: () => current()?.focus(),
  e: () => current()?.toggle(),
  r: () => current()?.reset(),
  u: () => current()?.undo(),
  t: () => model.doc && setTries(!model.tries),
  f: () => model.doc && showFile(!shell.classList.contains("with-file")),
  l: () => {
    const span = current()?.key.span;
    if (!span) return;
    showPlace();
    emit("place", { line: span.line });
  },
  c: () => model.doc && openCopy(shownKeys),
  "?": openHelp,
  Escape: (event) => {
    if (event.target === searchField) {
      if (searchField.value !== "") {
        searchField.value = "";
        searchField.dispatchEvent(new Event("input"));
      } else step(0);
    } else event.target.closest(".row")?.focus();
  },
});

const session = beginSession();
if (!session.hasToken) {
  $("list").replaceChildren(el("p", { class: "empty", role: "alert" }, "This address has no token. Run 'settings-cli page' to open the settings."));
} else if (session.app) open(session.app, session.key);
else showStart();
