// The file beside the form: its text, with the line of the selected value lit. The text can be edited and stored whole.

import { api, inTurn, Refusal } from "./api.js";
import { announce, asks, button, el, keyOf, shortPath } from "./dom.js";
import { alike, diffView, difference, unified } from "./diff.js";
import { model, on, placeholder, readable, refresh, seen } from "./model.js";
import { openPast } from "./past.js";

const area = el("textarea", {
  id: "file-text", class: "file-text", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-label": "Text of the file", "aria-describedby": "file-state",
});
const paint = el("div", { class: "file-paint", "aria-hidden": "true" });
const numbers = el("div", { class: "file-numbers", "aria-hidden": "true" });
const name = el("code", { class: "file-name" });
const state = el("div", { class: "file-state", id: "file-state", role: "status" });
const save = button("Save the text", () => store(), { class: "primary small", hidden: true });
const discardButton = button("Discard", () => {
  show(true);
  area.focus();
}, { class: "quiet small", hidden: true });
const past = button("Former texts", () => openPast(), { id: "past", class: "quiet small", title: "The history of this file: its former texts, and what has changed since" });

/** The pane. */
export const pane = el("section", { id: "file", class: "file", "aria-labelledby": "file-title", hidden: true },
  el("div", { class: "file-head" }, el("h2", { id: "file-title", class: "offscreen" }, "Text of the file"), name, save, discardButton, past),
  el("div", { class: "file-box" }, numbers, el("div", { class: "file-scroll" }, paint, area)), state);

/** The text as the text area has it, with LF alone. */
let base = "";
/** The file whose text it is. A draft belongs to it, whatever file is shown. */
let path = null;
let source = "";
/** What the draft is made of. */
let basis = null;
let isDraft = false;
let lineStarts = [0];
let lit = null;
let lineHeight = 20;

/** A text area knows no CR. The lines that nobody edited get back the ends that they had. */
function withEndings(text) {
  if (!source.includes("\r")) return text;
  const before = source.split(/(?<=\n)/);
  const after = text.split(/(?<=\n)/);
  const [start, end] = alike(before, after, (line, shown) => unified(line) === shown);
  const middle = after.slice(start, after.length - end).join("").replace(/\n/g, before[0].endsWith("\r\n") ? "\r\n" : "\n");
  return before.slice(0, start).join("") + middle + before.slice(before.length - end).join("");
}

function countLines() {
  const text = area.value;
  lineStarts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1);
}

/** Where the cursor is in another text: before the same letters, if what has changed is before it. */
function cursorIn(text) {
  const { selectionStart: at, value } = area;
  return text.slice(0, at) !== value.slice(0, at) && text.endsWith(value.slice(at)) ? text.length - (value.length - at) : at;
}

/** Shows the document's text. A draft stays, unless `takesNew`. */
export function show(takesNew = false) {
  const { doc } = model;
  if (isDraft && !takesNew) {
    if (save.disabled && !isElsewhere()) sayState();
    save.disabled = isElsewhere();
    if (isElsewhere()) {
      say(`This is a text for ${path}, and ${doc.file} is shown now. Choose that file to save it, or discard it.`, "error");
      return;
    }
    if (unified(doc.text) !== base) state.textContent = "The file has changed meanwhile. When you save, you can compare.";
    return;
  }
  path = doc.file;
  area.placeholder = doc.exists ? "The file is empty." : "Nothing is set yet.\nA setting that you change here, or a line that you type and save, begins the file.";
  name.textContent = shortPath(path);
  name.title = path ?? "";
  save.disabled = false;
  base = unified(doc.text);
  source = doc.text;
  basis = seen(doc);
  if (area.value !== base) {
    const { scrollTop, scrollLeft } = area;
    const cursor = cursorIn(base);
    area.value = base;
    area.setSelectionRange(cursor, cursor);
    area.scrollTop = scrollTop;
    area.scrollLeft = scrollLeft;
  }
  settle(false);
  area.readOnly = false;
  countLines();
  sayState();
  draw();
}

function say(text, kind = "") {
  state.className = `file-state ${kind}`;
  state.textContent = text;
}

function sayState() {
  const { doc } = model;
  const isSecret = doc.isMasked && (doc.text.includes(placeholder) || doc.text.includes("# (not shown: "));
  if (doc.problem) say(`Line ${doc.problem.line}: ${doc.problem.message}`, "error");
  else if (!doc.exists) say("The file does not exist yet. The first setting makes it.");
  else say(isSecret ? "Secrets are not shown. What stands in their place keeps them; type over it to set a new one." : "");
}

function settle(draft) {
  isDraft = draft;
  save.hidden = discardButton.hidden = !draft;
  pane.classList.toggle("draft", draft);
}

/** Saves the text. Returns whether that was done. */
export async function store(ifUnchanged = basis) {
  if (!canSave() || area.readOnly) return false;
  const text = withEndings(area.value);
  area.readOnly = true;
  try {
    await inTurn(async () => {
      await api.saveText(text, ifUnchanged);
      settle(false);
      await refresh();
    });
    announce("The text is saved.");
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.http === 412) await compare();
    else {
      const line = error.findings.find(({ message }) => message === error.message)?.line;
      say(line ? `Line ${line}: ${error.message}` : error.message, "error");
      if (line) light({ line });
    }
    return false;
  } finally {
    area.readOnly = false;
    area.focus();
  }
}

/** What stands for something that is not shown, with its number in the text. */
const note = /# \(not shown: (\d+)\)/;

/** The numbers of what is not shown, by the table and the key that they are in. */
function hidden(text) {
  const places = new Map();
  let head = "";
  for (const line of text.split("\n")) {
    const [start, number] = line.split(note);
    if (/^\s*\[/.test(line)) head = start.split("#")[0].trim();
    const place = `${head}\n${start.split("=")[0].trim()}`;
    if (number !== undefined) places.set(place, [...(places.get(place) ?? []), number]);
  }
  return places;
}

/** A draft with the numbers that the text of now has for what is not shown in it; null where that is not clear. */
function renumbered(draft, now) {
  const present = hidden(now);
  const numbers = new Map([...hidden(base)].flatMap(([place, all]) => {
    const others = present.get(place);
    return others?.length === all.length ? all.map((number, at) => [number, others[at]]) : [];
  }));
  let isClear = true;
  const text = draft.replace(new RegExp(note, "g"), (_, number) => {
    isClear &&= numbers.has(number);
    return `# (not shown: ${numbers.get(number)})`;
  });
  return isClear ? text : null;
}

/** Shows both texts, and lets the person choose. */
async function compare() {
  await refresh();
  const { doc } = model;
  const mine = renumbered(area.value, unified(doc.text));
  asks("The file was changed meanwhile", ["Nothing was saved. Lines with − are in the file now; lines with + are in your text.",
    diffView(readable(difference(unified(doc.text), mine ?? area.value)), "Their text and yours"),
    mine === null && el("p", { role: "alert" }, "What is not shown has changed in the file, too, so yours cannot be saved in its place. Take theirs, and make your changes in it.")],
  "Keep editing", ["Take theirs", () => show(true)], ["Save mine", () => {
    area.value = mine;
    store(seen(doc));
  }, { class: "primary", disabled: mine === null }]);
}

// MARK: Drawing

/** Paints the lines that are on the screen: numbers, colours, and the light behind the selected value. */
function draw() {
  if (!pane.checkVisibility()) return;
  const top = area.scrollTop;
  const first = Math.max(0, Math.floor(top / lineHeight) - 2);
  const last = Math.min(lineStarts.length, first + Math.ceil(area.clientHeight / lineHeight) + 4);
  const text = area.value;
  const lines = [];
  const counted = [];
  for (let line = first; line < last; line += 1) {
    const isLit = lit && line + 1 >= lit.line && line + 1 <= (lit.endLine ?? lit.line);
    const source = text.slice(lineStarts[line], (lineStarts[line + 1] ?? text.length + 1) - 1);
    lines.push(el("div", { class: isLit ? "file-line lit" : "file-line" }, ...coloured(source)));
    counted.push(el("div", { class: isLit ? "lit" : "" }, String(line + 1)));
  }
  paint.replaceChildren(...lines);
  numbers.replaceChildren(...counted);
  const offset = `translate(${-area.scrollLeft}px, ${first * lineHeight - top}px)`;
  paint.style.transform = offset;
  numbers.style.transform = `translateY(${first * lineHeight - top}px)`;
}

const tokens = /(#.*$)|("(?:[^"\\]|\\.)*"|'[^']*')|(^\s*\[\[?(?:[^\]"'#,]|"(?:[^"\\]|\\.)*"|'[^']*')*\]\]?(?=\s*(?:#|$)))|([A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)(?=\s*=)|\b(true|false|inf|nan|[+-]?\d[\w:.+-]*)/gm;
const kinds = ["", "comment", "string", "section", "name", "number"];

function coloured(line) {
  const text = line.length > 2000 ? line.slice(0, 2000) : line;
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(tokens)) {
    if (match.index > at) parts.push(text.slice(at, match.index));
    const kind = kinds.find((_, i) => i > 0 && match[i] !== undefined);
    const isHidden = match[0] === placeholder || /^# \(not shown: \d+\)/.test(match[0]);
    parts.push(el("span", { class: isHidden ? "t-secret" : `t-${kind}` }, readable(match[0])));
    at = match.index + match[0].length;
  }
  parts.push(line.slice(at) || (at === 0 ? "\u200b" : ""));
  return parts;
}

/** Lights some lines, and brings them into view. */
export function light(lines, { scrolls = true } = {}) {
  lit = lines;
  if (lines && scrolls) {
    const top = (lines.line - 1) * lineHeight;
    if (top < area.scrollTop + lineHeight || top > area.scrollTop + area.clientHeight - 3 * lineHeight) {
      area.scrollTop = Math.max(0, top - area.clientHeight / 3);
    }
  }
  draw();
}

/** Puts the cursor on a line. */
export function goTo(line) {
  light({ line });
  const start = lineStarts[Math.min(line, lineStarts.length) - 1] ?? 0;
  area.focus();
  area.setSelectionRange(start, start);
}

export const redraw = () => {
  lineHeight = parseFloat(getComputedStyle(area).lineHeight) || 20;
  draw();
};

export function begin(select) {
  area.addEventListener("scroll", draw, { passive: true });
  area.addEventListener("input", () => {
    settle(area.value !== base);
    countLines();
    if (!isDraft) sayState();
    draw();
  });
  area.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && keyOf(event).toLowerCase() === "s") {
      event.preventDefault();
      if (isDraft) store();
    }
  });
  // The cursor in the text selects the setting of its line.
  area.addEventListener("click", () => {
    if (isDraft) return;
    const line = area.value.slice(0, area.selectionStart).split("\n").length;
    const key = model.doc.keys.find((candidate) => candidate.span && candidate.span.line <= line && candidate.span.endLine >= line);
    if (key) select(key.key);
  });
  window.addEventListener("resize", redraw, { passive: true });
  on("place", ({ line }) => goTo(line));
}

/** Shows no text, until there is one. */
export function clear() {
  path = null;
  name.textContent = state.textContent = base = source = area.value = "";
  area.readOnly = true;
  settle(false);
  countLines();
  draw();
}

export const hasDraft = () => isDraft;
export const discard = () => show(true);

/** Whether the draft belongs to another file than the one that is shown: the app may write another one by now. */
export const isElsewhere = () => isDraft && model.doc?.file !== path;
export const canSave = () => isDraft && !isElsewhere();
