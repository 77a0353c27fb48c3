// The control of any value, and those of single values. Each is made for a place in the document and returns
// { element, update(place), isDirty() }. What it commits is the rest of a line of 'settings-cli batch':
// { value } or { toml }. No rule of a schema is checked here: the command checks, in its words.

import { choice, counting, sides, toggle } from "./choices.js";
import { el, iconButton, lineForm } from "./dom.js";
import { isPlainList, list } from "./lists.js";
import { isTable } from "./model.js";
import { records, table } from "./tables.js";
import { asKind, isNone, literal, numberOf, withZeros } from "./toml.js";
import { asDraft, growing, hasOther, isNot, names, shown, storesBy, typed } from "./typed.js";

/** What a field without a text says: an empty text is another thing than none. */
const unset = ({ value, rule }) => (!isNone(value) ? "empty" : isNone(rule.example) ? "not set" : `such as ${rule.example}`);

/** The range of a number, for people. */
export const rangeOf = ({ minimum: least, maximum: most, below }) => (isNone(least) && isNone(most) && isNone(below) ? ""
  : !isNone(least) && !isNone(most) ? `${least} – ${most}` : !isNone(least) ? `${least} or more` : !isNone(most) ? `up to ${most}` : `below ${below}`);

/** The members of a rule that a control is made by. What else a rule has is read when it is needed. */
const shapeOf = ({ type, choices, minimum, maximum, below, description, default: standard, isOpen, element, fields }) =>
  [type, choices, minimum, maximum, below, description, standard, isOpen, element && shapeOf(element),
    fields && Object.entries(fields).map(([name, field]) => [name, shapeOf(field)])];
const shapes = new WeakMap();

/** What a control is made for: it shows any value of the same form under the same rule, and else another one is made. */
export function makeOf(place) {
  const { rule } = place;
  let shape = shapes.get(rule);
  if (shape === undefined) {
    shape = literal(shapeOf(rule));
    shapes.set(rule, shape);
  }
  return `${formOf(place)} ${shape}`;
}

/** The name of the control that fits what a place has now. */
export function formOf(place) {
  const { kind, rule, value } = place;
  if (place.isSecret) return "secret";
  if (rule.choices?.length > 0) return "choice";
  if (kind === "records" || kind === "table") return isNone(value) || isTable(value) ? kind : "toml";
  if (kind === "array") return !place.isUnused && isPlainList(place) ? "list" : "toml";
  // A field of a form has no CR: it would make LF of one.
  if ((!isNone(value) && typeof value === "object") || (typeof value === "string" && value.includes("\r"))) return "toml";
  if (kind === "boolean") return typeof value === "boolean" && !hasOther(place) ? "switch" : "sides";
  // Infinities and what is not a number are texts in JSON.
  if (/^(integer|float|float32)$/.test(kind)) return typeof value === "string" ? "text" : kind;
  if (kind === "duration") return isSimpleDuration(value ?? rule.default) ? "duration" : "text";
  // What a browser's field cannot hold, such as microseconds and leap seconds, stays text.
  if (dateForms[kind]) return isNone(value) || (dateForms[kind].form.test(value) && !/^0000|:60/.test(value)) ? kind : "text";
  if (isColour(place)) return "colour";
  return rule.type === "any" ? "toml" : "text";
}

/**
 * What a control is made for:
 * - kind, value, node: the type, the value as JSON, its parsed text or null
 * - own, isStored: the value that the edited file itself has, and whether it has one
 * - isUnused: whether that one is shown, although it does not count
 * - rule: the members of the schema that describe the value (choices, minimum, …)
 * - name, hint: ids of the elements that name and describe it; label: or its name as a text
 * - disabled: whether it cannot be changed
 * - commit(edit, options), reset(options): store a value, or take it out of the file. They return whether that was done,
 *   once no write of the setting is left and update() has shown what they have made
 * - accepts(edit), check(edit, options): whether it could be stored; has the row say so, a moment later
 * - meanwhile(value, { store, giveUp }): it has changed under a draft, or the file that this was meant for is not edited now
 * - settled(): there is no draft any more
 */
export function makeControl(place) {
  const form = formOf(place);
  const makers = { records, table, list, secret, choice, switch: toggle, sides, duration, colour, toml: plainText, text };
  return (makers[form] ?? (dateForms[form] ? date : number))(place);
}

// MARK: Texts and numbers

/** A field of one line, or of several as soon as the text has them. */
function text(place) {
  const line = el("input", names(place, { class: "field", type: "text", spellcheck: "false", autocomplete: "off" }));
  const lines = el("textarea", names(place, { class: "field", rows: 3, spellcheck: "false" }));
  const more = iconButton("lines", "New line (Shift+Enter)", () => box.insert("\n"), { tabindex: "-1" });
  const hint = el("span", { class: "range" }, "Ctrl+Enter stores it");
  const element = el("div", { class: "text-box" }, line, more);
  const box = growing(line, lines, {
    turned: (isLong) => {
      (isLong ? more : hint).replaceWith(isLong ? hint : more);
      element.closest(".row")?.classList.toggle("wide", isLong);
    },
  });
  more.addEventListener("pointerdown", (event) => event.preventDefault());
  return typed(place, line, {
    element, parts: box.parts, beside: [more],
    // What is no string would become one where no schema says what it is.
    read: ({ rule, kind }) => (rule.type === kind || kind === "string" || box.value.trim() === "" ? { value: box.value } : { toml: asKind(box.value.trim(), kind) }),
    show: (next) => {
      box.value = shown(next.value);
      box.field.placeholder = unset(next);
    },
  });
}

/** The word of a description that says what a number counts: "Size of the font, in points." */
function unitOf(rule) {
  const found = /\bin (points|pixels|seconds|milliseconds|minutes|hours|days|bytes|KiB|MiB|GiB|kB|MB|GB|percent|per cent|lines|columns|characters|degrees)\b/i
    .exec(rule.description ?? "");
  return found ? { percent: "%", "per cent": "%" }[found[1]] ?? found[1] : "";
}

/** The number that follows after a step, as a text; null if there was none. */
function nextNumber(text, kind, by, { least, most, width }) {
  // A float without a point is a whole number, too: no digit of it is lost.
  const typed = numberOf(text.trim() || "0", "integer")?.replaceAll("_", "").replace(/^\+/, "");
  const isWhole = Number.isInteger(width) && (kind === "integer" ? /^-?\d+$|^0[xob]/ : /^-?\d+$/).test(typed);
  let value = isWhole ? BigInt(typed) + BigInt(by * width) : Number((Number(typed) + by * width).toPrecision(15));
  if (!isWhole && !Number.isFinite(value)) return null;
  if (least !== undefined && value < least) value = least;
  if (most !== undefined && value > most) value = most;
  return String(value);
}

/**
 * A number as it is typed. A browser's own field for numbers leaves out what is none of their characters: 1,5 would be 15.
 * The arrow keys step. `read(text)` returns the edit or throws; `show(place)` returns the text and may show more.
 */
function numberField(place, kind, { least, most, width = 1 }, { read, show, wrap = (input) => ({ element: input }) }) {
  const input = el("input", names(place, {
    class: "field number", type: "text", inputmode: kind === "integer" ? "numeric" : "decimal", role: "spinbutton",
    "aria-valuemin": least, "aria-valuemax": most, autocomplete: "off", spellcheck: "false",
  }));
  /** Has a screen reader say what is typed. */
  const say = () => {
    const value = Number(numberOf(input.value, kind)?.replaceAll("_", ""));
    for (const [name, said] of [["aria-valuenow", Number.isFinite(value) ? value : ""], ["aria-valuetext", input.value]]) {
      if (said === "") input.removeAttribute(name);
      else input.setAttribute(name, said);
    }
  };
  const control = typed(place, input, {
    ...wrap(input),
    read: () => (input.value.trim() === "" ? null : read(input.value)),
    show: (now) => {
      input.value = show(now);
      say();
    },
  });
  const put = (text) => {
    input.value = text;
    input.dispatchEvent(new Event("input"));
  };
  input.addEventListener("input", say);
  input.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!by || event.isComposing || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const text = nextNumber(input.value, kind, by, { least, most, width });
    if (text === null) return;
    put(text);
    control.storeSoon();
  });
  return { ...control, put };
}

function number(place) {
  const { rule, kind } = place;
  const isInteger = kind === "integer";
  const bound = (value) => (typeof value === "number" || typeof value === "bigint" ? value : undefined);
  const least = bound(rule.minimum);
  const most = bound(rule.maximum) ?? (isInteger && bound(rule.below) !== undefined ? Number(rule.below) - 1 : undefined);
  const unit = unitOf(rule);
  const slider = sliderFor(place, least, most, isInteger);
  let field;
  const control = numberField(place, kind, { least, most, width: isInteger ? 1 : Number(slider?.step ?? 1) }, {
    read: (text) => {
      const toml = numberOf(text, kind);
      if (toml === null) throw new Error(isNot(text, kind));
      return { toml };
    },
    show: (now) => {
      field.placeholder = isNone(now.value) ? "not set" : "";
      if (slider) slider.value = shown(now.value ?? least);
      return shown(now.value);
    },
    wrap: (input) => {
      field = input;
      const box = el("div", { class: "number-box", title: rangeOf(rule) }, slider, input, unit && el("span", { class: "unit" }, unit));
      return { element: box, beside: slider ? [slider] : [] };
    },
  });
  if (!slider) return control;
  slider.addEventListener("input", () => control.put(String(slider.value < least ? least : slider.value > most ? most : slider.value)));
  slider.addEventListener("change", control.storeSoon);
  field.addEventListener("input", () => {
    const value = Number(numberOf(field.value, kind)?.replaceAll("_", "") ?? "none");
    if (Number.isFinite(value)) slider.value = value;
  });
  return control;
}

/** A slider for a range that is not too wide. It steps as a person would: to round numbers, some fifty of them. */
function sliderFor(place, least, most, isInteger) {
  if (least === undefined || most === undefined) return null;
  const width = Number(most) - Number(least);
  if (!(width > 0 && width <= 1000)) return null;
  const power = 10 ** Math.floor(Math.log10(width / 50));
  const round = [1, 2, 5, 10].reduce((best, one) => (Math.abs(one - width / 50 / power) < Math.abs(best - width / 50 / power) ? one : best)) * power;
  const step = Number((isInteger ? Math.max(1, round) : round).toPrecision(1));
  // The browser counts the steps from the lowest number, which is to be a round one, too.
  const edge = (value, to) => Number((to(Number((Number(value) / step).toPrecision(12))) * step).toPrecision(12));
  return el("input", names(place, { type: "range", class: "slider", min: edge(least, Math.floor), max: edge(most, Math.ceil), step }));
}

// MARK: Durations, dates, colours

const units = { d: "days", h: "hours", m: "minutes", s: "seconds", ms: "milliseconds", us: "microseconds", ns: "nanoseconds" };
const simpleDuration = /^(-?\d+(?:\.\d+)?)(d|h|m|s|ms|us|ns)$/;
const isSimpleDuration = (value) => isNone(value) || simpleDuration.test(value);

function duration(place) {
  const unit = el("select", { class: "field", "aria-label": "Unit", disabled: place.disabled },
    Object.entries(units).map(([value, label]) => el("option", { value }, label)));
  return numberField(place, "float", {}, {
    // With a unit of its own it would be another duration: "5m" and "s" are 5 milliseconds.
    read: (text) => {
      const number = withZeros(text);
      if (!/^-?\d+(\.\d+)?$/.test(number)) throw new Error(`${isNot(text, "float")} The unit is chosen beside it.`);
      return { value: `${number}${unit.value}` };
    },
    show: (now) => {
      const match = simpleDuration.exec(now.value ?? "");
      unit.value = match?.[2] ?? "s";
      return match?.[1] ?? shown(now.value);
    },
    wrap: (input) => ({ element: el("div", { class: "with-unit" }, input, unit), parts: [input, unit] }),
  });
}

const dateForms = {
  "local-date": { type: "date", form: /^\d{4}-\d\d-\d\d$/ },
  "local-time": { type: "time", form: /^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/ },
  "local-date-time": { type: "datetime-local", form: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/ },
  "offset-date-time": { type: "datetime-local", form: /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)$/i },
};

/** Has a year take four digits, as it has in TOML. */
const lastDay = { date: "9999-12-31", "datetime-local": "9999-12-31T23:59:59.999" };

function date(place) {
  const { type, form } = dateForms[place.kind];
  const hasOffset = place.kind === "offset-date-time";
  const input = el("input", names(place, { class: "field", type, step: type === "date" ? undefined : 1, max: lastDay[type] }));
  const offset = hasOffset ? el("input", { class: "field offset", "aria-label": "Offset from UTC", title: "Offset from UTC, such as Z or +01:00", disabled: place.disabled, spellcheck: "false", autocomplete: "off" }) : null;
  // A browser says nothing of a date that is entered over the same one.
  const other = counting();
  const withSeconds = (value) => (/T\d\d:\d\d$|^\d\d:\d\d$/.test(value) ? `${value}:00` : value);
  return typed(place, input, {
    element: el("div", { class: "with-unit" }, input, offset, other.element),
    parts: hasOffset ? [input, offset] : [input],
    read: () => {
      if (input.validity.badInput) throw new Error("This is not a whole date or time yet.");
      if (input.value === "") return null;
      return { toml: withSeconds(input.value) + (hasOffset ? offset.value.trim() || "Z" : "") };
    },
    show: (next) => {
      const isOther = hasOther(next);
      other.say(isOther ? next.value : null);
      const match = isOther ? null : form.exec(next.value ?? "");
      input.value = (hasOffset ? match?.[1] : match?.[0])?.replace(" ", "T") ?? "";
      if (hasOffset) offset.value = match?.[2] ?? "Z";
    },
  });
}

const colourForm = /^#[0-9a-f]{6}$/i;
const isColour = ({ value, rule, kind }) =>
  (kind === "string" || kind === "any") && colourForm.test(value ?? rule.default ?? "") && (isNone(value) || colourForm.test(value));

function colour(place) {
  const input = el("input", names(place, { class: "field colour-text", type: "text", spellcheck: "false", autocomplete: "off" }));
  const picker = el("input", names(place, { type: "color", class: "swatch" }));
  const element = el("div", { class: "with-unit" }, picker, input);
  picker.addEventListener("input", () => {
    input.value = picker.value;
  });
  const control = typed(place, input, {
    element, parts: [input, picker],
    read: () => ({ value: input.value }),
    show: (next) => {
      input.value = shown(next.value);
      picker.value = colourForm.test(next.value ?? "") ? next.value : "#000000";
    },
  });
  input.addEventListener("input", () => {
    if (colourForm.test(input.value)) picker.value = input.value;
  });
  return control;
}

// MARK: Secrets and plain TOML

/** A secret can be written and not read. The text leaves the page's memory with the request. */
function secret(place) {
  let now = place;
  // A password's field would take the line breaks out of a key that is pasted.
  const box = growing(el("input", names(place, { class: "field", type: "password", autocomplete: "new-password", spellcheck: "false" })),
    el("textarea", names(place, { class: "field masked", rows: 3, autocomplete: "off", spellcheck: "false" })));
  const [line, lines] = box.parts;
  const set = asDraft(box, () => {
    for (const part of box.parts) part.value = "";
    now.checked();
  });
  const isDirty = () => box.value !== "";
  const store = async () => {
    const { value } = box;
    const { file } = now;
    // Whether it is as it was cannot be seen: of a file that has changed, another try could overwrite a new one.
    const options = { field: box.field, file, tries: 1, changed: () => contest(file) };
    if (value !== "" && await now.commit({ value }, options) && box.value === value) set("");
  };
  const contest = (file) => now.meanwhile(now.value, { field: box.field, file, store, giveUp: () => set("") });
  const save = el("button", { type: "submit", disabled: place.disabled }, "Store");
  const form = lineForm(store, { autocomplete: "off" }, line, save);
  const show = () => {
    line.placeholder = isNone(now.value) ? "not set" : "set, and not shown";
  };
  lines.addEventListener("keydown", (event) => {
    if (storesBy(event)) store();
  });
  show();
  return { element: form, isDirty, update(next) {
    const { file, change } = now;
    now = next;
    const isOther = next.file !== file || (next.change !== change && next.change?.isMine === false);
    if (isOther && isDirty()) contest(file);
    save.disabled = Boolean(next.disabled);
    for (const part of box.parts) part.disabled = save.disabled && !isDirty();
    show();
  } };
}

/** The TOML text of a value that has no control of its own. */
function plainText(place) {
  const input = el("textarea", names(place, { class: "field mono", rows: 3, spellcheck: "false", autocomplete: "off", placeholder: "a value in TOML" }));
  return typed(place, input, {
    element: el("div", { class: "plain-box" }, input, el("span", { class: "range" }, "TOML · Ctrl+Enter stores it")),
    read: () => (input.value.trim() === "" ? null : { toml: input.value.trim() }),
    show: ({ node, value }) => {
      input.value = node?.raw ?? (isNone(value) ? "" : literal(value));
    },
  });
}
