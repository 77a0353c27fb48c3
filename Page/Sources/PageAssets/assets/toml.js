// What the page has to know of TOML: keys, literals, and the parts of a value's text. Checking is the command's work.

const bare = /^[A-Za-z0-9_-]+$/;

/** A string as TOML, which needs one escape more than JSON. */
export const quote = (text) => JSON.stringify(text).replaceAll("\x7f", "\\u007f");

/** A value as JSON. An integer that a JavaScript number cannot hold is a text. */
export const jsonOf = (value) => JSON.stringify(value, (_, member) => (typeof member === "bigint" ? String(member) : member));

export const isNone = (value) => value === null || value === undefined;

/** A dotted key from its parts. */
export const dotted = (parts) => parts.map((part) => (bare.test(part) ? part : quote(part))).join(".");

/** The parts of a dotted key. */
export function partsOf(key) {
  if (!/["']/.test(key)) return key.split(".");
  const parts = [];
  const reader = new Reader(key);
  for (;;) {
    parts.push(reader.keyPart());
    if (reader.peek() !== ".") return parts;
    reader.at += 1;
  }
}

/** A value of JSON as TOML on one line. */
export function literal(value) {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).map(([key, member]) => `${dotted([key])} = ${literal(member)}`);
    return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  }
  return String(value);
}

/**
 * The parts of a value's text: `{ kind, raw, value, items, members }`. `raw` is its text, so that what is not edited
 * keeps its notation: 0x1F, 1_000, 1.10, dates. Returns null if the text is not one value.
 */
export function parseValue(text) {
  try {
    const reader = new Reader(text);
    reader.space(true);
    const node = reader.value();
    reader.space(true);
    return reader.at === text.length ? node : null;
  } catch {
    return null;
  }
}

/** The kind of a scalar's text. */
export function kindOf(raw) {
  if (/^["']/.test(raw)) return "string";
  if (raw === "true" || raw === "false") return "boolean";
  if (/^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/.test(raw)) return raw.length > 10 ? "local-date-time" : "local-date";
  if (/^\d{4}-\d\d-\d\d[Tt ]/.test(raw)) return "offset-date-time";
  if (/^\d\d:\d\d/.test(raw)) return "local-time";
  if (/^[+-]?(inf|nan)$/.test(raw)) return "float";
  if (/^0[xob]/.test(raw)) return "integer";
  return /[.eE]/.test(raw) ? "float" : "integer";
}

/** What was typed for a value of a kind. A float stays one: 14 becomes 14.0. */
export const asKind = (text, kind) => (/^float/.test(kind) && /^[+-]?[\d_]+$/.test(text) ? `${text}.0` : text);

const numberForm = /^(?:[+-]?(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?|0x[\da-fA-F](?:_?[\da-fA-F])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*|[+-]?(?:inf|nan))$/;

/** A number that was typed, with the zeros that TOML wants: .5 and 5. are 0.5 and 5. */
export const withZeros = (text) => text.trim().replace(/^([+-]?)\.(?=\d)/, "$10.").replace(/(?<=\d)\.(?=$|e)/i, "");

/** What was typed for a number of a kind, as TOML; null if it is none. Which numbers may be there, the command knows. */
export function numberOf(text, kind) {
  const number = withZeros(text);
  return numberForm.test(number) ? asKind(number, kind) : null;
}

/** What was typed for one value of a kind that is no text; null if it is none, or several. */
export function scalarOf(text, kind) {
  if (/^(integer|float)/.test(kind)) return numberOf(text, kind);
  const node = parseValue(text.trim());
  return node?.kind === kind && node.raw === text.trim() ? node.raw : null;
}

/** The kind of a value, whose parsed text says it if there is one. */
export function kindOfValue(value, node) {
  if (Array.isArray(value)) return "array";
  if (value !== null && typeof value === "object") return "table";
  if (node) return node.kind;
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "float";
  return { boolean: "boolean", bigint: "integer" }[typeof value] ?? "string";
}

/** The parsed text of a member of a table; null if it is not known. */
export function memberNode(node, name) {
  if (!node?.members) return null;
  node.byName ??= new Map(node.members.filter(({ path }) => path.length === 1).map((one) => [one.path[0], one.node]));
  return node.byName.get(name) ?? null;
}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  peek() {
    return this.text[this.at];
  }

  space(lines) {
    this.match(lines ? /(?:[ \t\r\n]|#[^\n]*)*/y : /[ \t]*/y);
  }

  value() {
    const start = this.at;
    const first = this.peek();
    let node;
    if (first === '"' || first === "'") node = { kind: "string", value: this.string() };
    else if (first === "[") node = { kind: "array", items: this.members("]", () => this.value()) };
    else if (first === "{") node = { kind: "table", members: this.members("}", () => this.pair()) };
    else {
      const raw = this.match(/\d{4}-\d\d-\d\d \d\d[^\s,\]}#]*|[^\s,\]}#]+/y);
      node = { kind: kindOf(raw), value: raw };
    }
    node.raw = this.text.slice(start, this.at);
    return node;
  }

  /** What is between two brackets, with commas. */
  members(close, read) {
    const all = [];
    for (this.at += 1; ; ) {
      this.space(true);
      if (this.peek() === close) break;
      all.push(read());
      this.space(true);
      if (this.peek() === ",") this.at += 1;
      else if (this.peek() !== close) throw new SyntaxError();
    }
    this.at += 1;
    return all;
  }

  pair() {
    const path = [];
    do {
      if (path.length > 0) this.at += 1;
      this.space(false);
      path.push(this.keyPart());
      this.space(false);
    } while (this.peek() === ".");
    this.match(/=[ \t]*/y);
    return { path, node: this.value() };
  }

  keyPart() {
    const first = this.peek();
    if (first === '"' || first === "'") return this.string();
    return this.match(/[^\s.="'\]}#]+/y);
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) throw new SyntaxError();
    this.at += found[0].length;
    return found[0];
  }

  string() {
    // Up to two quotation marks may stand directly before the closing ones.
    const raw = this.match(/"""(?:\\[^]|(?!""")[^\\])*"{3,5}|'''(?:(?!''')[^])*'{3,5}|"(?:\\.|[^"\\])*"|'[^']*'/y);
    const text = /^("""|''')/.test(raw) ? raw.slice(3, -3).replace(/^\r?\n/, "") : raw.slice(1, -1);
    if (raw.startsWith("'")) return text;
    return text.replace(/\\(?:([btnfre"\\])|x(.{2})|u(.{4})|U(.{8})|[ \t]*\r?\n\s*)/g, (_, simple, ...codes) => {
      const code = codes.slice(0, 3).find(Boolean);
      return simple ? { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", e: "\u001b" }[simple] ?? simple : code ? String.fromCodePoint(parseInt(code, 16)) : "";
    });
  }
}
