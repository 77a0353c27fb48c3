// Differences of texts: a unified diff as lines, and a comparison of two texts line by line.

import { el } from "./dom.js";

/** A unified diff, with its lines marked for the eye; the signs stay for everybody else. */
export function diffView(text, label) {
  const lines = text.replace(/\n$/, "").split("\n").map((line) => {
    const kind = /^(---|\+\+\+|@@)/.test(line) ? "head" : line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
    return el("span", { class: `line ${kind}` }, `${line}\n`);
  });
  return el("pre", { class: "diff", tabindex: "0", role: "region", "aria-label": label }, lines);
}

/** A text with LF alone, as a text area has it. */
export const unified = (text) => text.replace(/\r\n?/g, "\n");

/** How many elements two lists have alike at their beginnings, and then at their ends. */
export function alike(a, b, isSame = (x, y) => x === y) {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && isSame(a[start], b[start])) start += 1;
  let end = 0;
  while (end < most - start && isSame(a.at(-1 - end), b.at(-1 - end))) end += 1;
  return [start, end];
}

/** The differences between two texts, in the form of a unified diff. */
export function difference(before, after) {
  const a = before.split("\n");
  const b = after.split("\n");
  const [start, end] = alike(a, b);
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  const lines = left.length * right.length > 4e6
    ? [...left.map((line) => `-${line}`), ...right.map((line) => `+${line}`)] : compared(left, right);
  const from = Math.max(0, start - 3);
  const context = (list) => list.map((line) => ` ${line}`);
  return [`@@ line ${start + 1} @@`, ...context(a.slice(from, start)), ...lines, ...context(a.slice(a.length - end, a.length - end + 3))].join("\n");
}

/** The longest common lines stay; the rest is removed or added. */
function compared(a, b) {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = a[i] === b[j] ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(` ${a[i]}`);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) lines.push(`-${a[i++]}`);
    else lines.push(`+${b[j++]}`);
  }
  return lines;
}
