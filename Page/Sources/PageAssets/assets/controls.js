// The controls of single values. Each is made for a place in the document and returns
// { element, update(place), isDirty() }. What it commits is the rest of a line of 'settings-cli batch':
// { value } or { toml }. No rule of a schema is checked here: the command checks, in its words.

import { choice, toggle } from "./choices.js";
import { el } from "./dom.js";
import { literal } from "./toml.js";
import { names, shown, typed } from "./typed.js";

/**
 * What a control is made for:
 * - kind, value, node: the type, the value as JSON, its parsed text or null
 * - rule: the members of the schema that describe the value (choices, minimum, …)
 * - name, hint: ids of the elements that name and describe it; label: or its name as a text
 * - disabled: whether it cannot be changed
 * - commit(edit), check(edit), meanwhile(value): store it; ask whether it could be stored; it has changed under a draft.
 *   commit returns whether it was stored, once no write of the setting is left and update() has shown what they have made
 */
export function makeSimple(place) {
  const { kind, rule } = place;
  if (rule.choices?.length > 0) return choice(place);
  switch (kind) {
    case "boolean": return toggle(place);
    case "integer": case "float": case "float32": return number(place);
    case "duration": return isSimpleDuration(place.value ?? rule.default) ? duration(place) : text(place);
    case "local-date": case "local-time": case "local-date-time": case "offset-date-time": return date(place);
    default: return isColour(place) ? colour(place) : text(place);
  }
}

// MARK: Texts and numbers

function text(place) {
  const isLong = typeof place.value === "string" && /\n/.test(place.value);
  const input = isLong
    ? el("textarea", names(place, { class: "field", rows: 4, spellcheck: "false" }))
    : el("input", names(place, { class: "field", type: "text", spellcheck: "false", autocomplete: "off" }));
  return typed(place, input, {
    read: () => ({ value: input.value }),
    show: (next) => {
      input.value = shown(next.value);
      input.placeholder = next.value === null || next.value === undefined ? "not set" : "";
    },
  });
}

/** The word of a description that says what a number counts: "Size of the font, in points." */
function unitOf(rule) {
  const found = /\bin (points|pixels|seconds|milliseconds|minutes|hours|days|bytes|KiB|MiB|GiB|kB|MB|GB|percent|per cent|lines|columns|characters|degrees)\b/i
    .exec(rule.description ?? "");
  return found ? { percent: "%", "per cent": "%" }[found[1]] ?? found[1] : "";
}

function number(place) {
  const { rule, kind } = place;
  const isInteger = kind === "integer";
  const bound = (value) => (typeof value === "number" || typeof value === "bigint" ? value : undefined);
  const least = bound(rule.minimum);
  const most = bound(rule.maximum) ?? (isInteger && bound(rule.below) !== undefined ? Number(rule.below) - 1 : undefined);
  const input = el("input", names(place, {
    class: "field number", type: "number", step: isInteger ? 1 : "any", min: least, max: most, autocomplete: "off",
  }));
  const read = () => {
    if (input.validity.badInput) throw new Error("This is not a number.");
    if (input.value === "") return null;
    // A float stays one: 14 becomes 14.0.
    const isWhole = /^[+-]?\d+$/.test(input.value);
    const value = input.value.replace(/^([+-]?)\./, "$10.").replace(/\.$/, "").replace(/\.e/i, "e");
    return { toml: isInteger || !isWhole ? value : `${value}.0` };
  };
  const unit = unitOf(rule);
  const isNarrow = least !== undefined && most !== undefined && Number(most) - Number(least) <= 1000 && Number(most) > Number(least);
  const slider = isNarrow
    ? el("input", names(place, { type: "range", class: "slider", min: least, max: most, step: isInteger ? 1 : (most - least) / 100 }))
    : null;
  const range = least !== undefined || most !== undefined || rule.below
    ? el("span", { class: "range", "aria-hidden": "true" }, least !== undefined && most !== undefined ? `${least} – ${most}`
      : least !== undefined ? `≥ ${least}` : most !== undefined ? `≤ ${most}` : `< ${rule.below}`) : null;
  const element = el("div", { class: "number-box" }, slider,
    el("span", { class: "with-unit" }, input, unit && el("span", { class: "unit" }, unit)), range);
  const control = typed(place, input, {
    element, read,
    show: (next) => {
      input.value = shown(next.value);
      input.placeholder = next.value === null || next.value === undefined ? "not set" : "";
      if (slider) slider.value = shown(next.value ?? least);
    },
  });
  if (!slider) return control;
  slider.addEventListener("input", () => {
    input.value = slider.value;
    input.dispatchEvent(new Event("input"));
  });
  slider.addEventListener("change", () => input.dispatchEvent(new Event("change")));
  input.addEventListener("input", () => {
    slider.value = input.value;
  });
  return { ...control, update(next) {
    slider.disabled = Boolean(next.disabled);
    control.update(next);
  } };
}

// MARK: Durations, dates, colours

const units = { d: "days", h: "hours", m: "minutes", s: "seconds", ms: "milliseconds", us: "microseconds", ns: "nanoseconds" };
const simpleDuration = /^(-?\d+(?:\.\d+)?)(d|h|m|s|ms|us|ns)$/;
const isSimpleDuration = (value) => value === null || value === undefined || simpleDuration.test(value);

function duration(place) {
  const input = el("input", names(place, { class: "field number", type: "number", step: "any", autocomplete: "off" }));
  const unit = el("select", { class: "field", "aria-label": "Unit", disabled: place.disabled },
    Object.entries(units).map(([value, label]) => el("option", { value }, label)));
  const element = el("div", { class: "with-unit" }, input, unit);
  return typed(place, input, {
    element, parts: [input, unit],
    read: () => {
      if (input.validity.badInput) throw new Error("This is not a number.");
      return input.value === "" ? null : { value: `${input.value}${unit.value}` };
    },
    show: (next) => {
      const match = simpleDuration.exec(next.value ?? "");
      input.value = match?.[1] ?? shown(next.value);
      unit.value = match?.[2] ?? "s";
    },
  });
}

const dateForms = {
  "local-date": { type: "date", form: /^\d{4}-\d\d-\d\d$/ },
  "local-time": { type: "time", form: /^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/ },
  "local-date-time": { type: "datetime-local", form: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/ },
  "offset-date-time": { type: "datetime-local", form: /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)$/i },
};

function date(place) {
  const { type, form } = dateForms[place.kind];
  // What a browser's field cannot hold, such as microseconds, stays text.
  if (place.value !== null && place.value !== undefined && !form.test(place.value)) return text(place);
  const hasOffset = place.kind === "offset-date-time";
  const input = el("input", names(place, { class: "field", type, step: type === "date" ? undefined : 1 }));
  const offset = hasOffset ? el("input", { class: "field offset", "aria-label": "Offset from UTC", disabled: place.disabled, spellcheck: "false", autocomplete: "off" }) : null;
  const withSeconds = (value) => (/T\d\d:\d\d$|^\d\d:\d\d$/.test(value) ? `${value}:00` : value);
  return typed(place, input, {
    element: hasOffset ? el("div", { class: "with-unit" }, input, offset) : input,
    parts: hasOffset ? [input, offset] : [input],
    read: () => {
      if (input.validity.badInput) throw new Error("This is not a whole date or time yet.");
      if (input.value === "") return null;
      return { toml: withSeconds(input.value) + (hasOffset ? offset.value.trim() || "Z" : "") };
    },
    show: (next) => {
      const match = form.exec(next.value ?? "");
      input.value = (hasOffset ? match?.[1] : match?.[0])?.replace(" ", "T") ?? "";
      if (hasOffset) offset.value = match?.[2] ?? "Z";
    },
  });
}

const colourForm = /^#[0-9a-f]{6}$/i;
const isColour = ({ value, rule, kind }) =>
  (kind === "string" || kind === "any") && colourForm.test(value ?? rule.default ?? "") && (value === null || value === undefined || colourForm.test(value));

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
export function secret(place) {
  let now = place;
  const input = el("input", names(place, { class: "field", type: "password", autocomplete: "new-password", spellcheck: "false" }));
  const store = async () => {
    const value = input.value;
    input.value = "";
    if (value !== "") await now.commit({ value });
  };
  const save = el("button", { type: "submit", disabled: place.disabled }, "Store");
  const form = el("form", { class: "with-unit", autocomplete: "off", onsubmit: (event) => {
    event.preventDefault();
    store();
  } }, input, save);
  const show = () => {
    input.placeholder = now.value === null || now.value === undefined ? "not set" : "set, and not shown";
  };
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") input.value = "";
  });
  show();
  return { element: form, isDirty: () => input.value !== "", update(next) {
    now = next;
    input.disabled = save.disabled = Boolean(next.disabled);
    show();
  } };
}

/** The TOML text of a value that has no control of its own. */
export function plainText(place) {
  const source = (next) => next.node?.raw ?? (next.value === null || next.value === undefined ? "" : literal(next.value));
  const input = el("textarea", names(place, { class: "field mono", rows: 3, spellcheck: "false", autocomplete: "off" }));
  const control = typed(place, input, {
    read: () => (input.value.trim() === "" ? null : { toml: input.value.trim() }),
    show: (next) => {
      input.value = source(next);
      input.placeholder = "a value in TOML";
    },
  });
  return { ...control, element: el("div", { class: "plain-box" }, input, el("span", { class: "range" }, "TOML · Ctrl+Enter stores it")) };
}
