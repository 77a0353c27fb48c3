// What the search has found, marked in the texts that are shown. Marks are elements around text nodes, never markup.

import { el } from "./dom.js";

let pattern = null;

/** Changes when what is marked changes. */
export let edition = "";

/** Has these words marked, in lower case; none ends it. */
export function setMarks(words) {
  // A single letter is nearly everywhere: its marks would say nothing.
  const next = [...new Set(words)].filter((word) => word.length > 1).sort((a, b) => b.length - a.length);
  const source = next.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|");
  if (source === edition) return;
  edition = source;
  pattern = source === "" ? null : new RegExp(source, "gi");
}

/** A text in parts: what the search has found is in `mark` elements. */
export function marked(given) {
  if (!pattern || !given) return [given ?? ""];
  const text = given.normalize();
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) parts.push(text.slice(at, match.index));
    parts.push(el("mark", {}, match[0]));
    at = match.index + match[0].length;
  }
  if (at < text.length || at === 0) parts.push(text.slice(at));
  return parts;
}

/** The part of a long text where the search has found something, or null if it has not. */
export function found(given, most = 80) {
  const text = given.normalize();
  const at = pattern ? text.search(pattern) : -1;
  if (at < 0) return null;
  const start = text.length <= most ? 0 : Math.max(0, at - 20);
  return `${start > 0 ? "…" : ""}${text.slice(start, start + most)}${start + most < text.length ? "…" : ""}`;
}
