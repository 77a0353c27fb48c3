// The controls of what is chosen: a switch, a few choices side by side, and many in a list.

import { el, newID } from "./dom.js";
import { asKind, isNone, literal } from "./toml.js";
import { hasOther, names, same, shown, stepped } from "./typed.js";

/** A switch. */
export function toggle(place) {
  const input = el("input", names(place, { type: "checkbox", role: "switch", class: "switch" }));
  const words = el("span", { class: "switch-text", "aria-hidden": "true" });
  const say = () => { words.textContent = input.checked ? "On" : "Off"; };
  input.addEventListener("change", say);
  return chooser(place, [false, true], el("span", { class: "switch-box" }, input, words), [input], () => Number(input.checked), (_, at) => {
    input.checked = at === 1;
    say();
  });
}

/** One of the values that a schema lists. */
export function choice(place) {
  const { choices } = place.rule;
  const labels = choices.map((value) => (typeof value === "string" ? value : literal(value)));
  const isShort = choices.length <= 4 && labels.join("").length <= 34;
  return isShort ? segments(place, choices, labels) : select(place, choices, labels);
}

/** A boolean of which the file has none: a switch would show a side, and a click would store the other one. */
export const sides = (place) => segments(place, [false, true], ["Off", "On"]);

/** Says beside a control which value counts, where the control shows none since the file has another one. */
export function counting() {
  const element = el("span", { class: "other-value", hidden: true });
  return { element, say(value) {
    element.hidden = isNone(value);
    element.textContent = element.hidden ? "" : `now: ${typeof value === "string" ? value : literal(value)}`;
  } };
}

/** A control whose `inputs` choose. `at()` is the number of the choice, and `show(now, at)` shows one; -1 is none. */
function chooser(place, choices, element, inputs, at, show) {
  let now = place;
  const showStored = () => show(now, hasOther(now) ? -1 : choices.findIndex((value) => same(value, now.value ?? null)));
  const editOf = (value) => (typeof value === "string" ? { value } : { toml: asKind(literal(value), now.kind) });
  const steps = stepped(element, { file: () => now.file, commit: (file) => now.commit(editOf(choices[at()]), { file }), giveUp: showStored });
  for (const input of inputs) input.addEventListener("change", steps.chosen);
  showStored();
  return { element, isDirty: steps.isWaiting, update(next) {
    now = next;
    for (const input of inputs) input.disabled = Boolean(next.disabled);
    if (!steps.isWaiting()) showStored();
  } };
}

/** A few choices side by side, and the inputs that choose one. */
export function sideBySide(values, labels, properties = {}) {
  const name = newID("choice");
  const inputs = values.map((value) => el("input", { type: "radio", name, value }));
  return { inputs, element: el("div", { class: "segments", ...properties },
    labels.map((label, i) => el("label", { class: "segment" }, inputs[i], el("span", {}, label || "empty")))) };
}

function segments(place, choices, labels) {
  const { inputs, element: box } = sideBySide(choices.map(literal), labels, { role: "radiogroup", ...names(place, { disabled: undefined }) });
  for (const input of inputs) input.disabled = Boolean(place.disabled);
  const other = counting();
  const element = el("div", { class: "choice-box" }, box, other.element);
  return chooser(place, choices, element, inputs, () => inputs.findIndex((input) => input.checked), (now, at) => {
    inputs.forEach((input, i) => { input.checked = i === at; });
    other.say(at >= 0 ? null : labels[choices.findIndex((value) => same(value, now.value))] ?? now.value);
  });
}

function select(place, choices, labels) {
  const element = el("select", names(place, { class: "field" }), choices.map((_, i) => el("option", { value: String(i) }, labels[i] || "empty")));
  const other = el("option", { value: "", disabled: true });
  return chooser(place, choices, element, [element], () => Number(element.value), (now, at) => {
    if (at < 0) {
      other.textContent = isNone(now.value) ? "not set" : hasOther(now) ? `now: ${shown(now.value)}` : `${shown(now.value)} (not one of these)`;
      element.prepend(other);
    } else other.remove();
    element.value = at < 0 ? "" : String(at);
  });
}
