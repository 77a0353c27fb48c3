// What the controls share: names, and how a text that is typed is checked, stored and taken back.

import { literal } from "./toml.js";

/** The names and states that every control has. */
export function names(place, more = {}) {
  return {
    "aria-labelledby": place.label ? undefined : place.name, "aria-label": place.label, "aria-describedby": place.hint,
    disabled: place.disabled, ...more,
  };
}

/** Whether two values are the same. */
export const same = (a, b) => a === b || literal(a) === literal(b);

// Whether an edit would store what is there.
const isPresent = (edit, { value, node }) => (edit.toml === undefined ? same(edit.value, value ?? null)
  : edit.toml === (node?.raw ?? (value === null || value === undefined ? null : literal(value))));

/** A value as the text of a field. */
export const shown = (value) => (value === null || value === undefined ? "" : String(value));

/**
 * An input whose text is checked as it is typed, and stored on Enter or when the focus leaves it. Escape takes it back.
 * `read()` returns the edit, null for none, or throws an Error with what is wrong.
 */
export function typed(place, input, { read, show, element = input, parts = [input] }) {
  let now = place;
  let isDirty = false;
  let isStoring = false;
  let storesAgain = false;
  /** Counts what is typed: a text that was typed while another one was being stored is stored after it. */
  let edition = 0;
  const settle = (dirty) => {
    isDirty = dirty;
    element.toggleAttribute("data-draft", dirty);
  };
  const tryRead = () => {
    try {
      return read();
    } catch (error) {
      now.refuse?.(error.message);
      return undefined;
    }
  };
  const changed = () => {
    edition += 1;
    settle(true);
    now.checked?.();
    const edit = tryRead();
    if (edit) now.check?.(edit);
  };
  const store = async () => {
    if (!isDirty) return;
    if (isStoring) {
      storesAgain = true;
      return;
    }
    const edit = tryRead();
    if (edit === undefined) return;
    if (edit === null || isPresent(edit, now)) {
      settle(false);
      show(now);
      now.checked?.();
      return;
    }
    const stored = edition;
    isStoring = true;
    const isStored = await now.commit(edit);
    isStoring = false;
    const isOther = edition !== stored;
    if (storesAgain) {
      storesAgain = false;
      if (isOther) return void store();
    }
    if (!isStored || isOther) return;
    settle(false);
    show(now);
  };
  for (const part of parts) {
    part.addEventListener("input", changed);
    part.addEventListener("change", () => {
      // Assistive technology may set a value without the event of typing.
      if (!isDirty) changed();
      // Between the parts of one control nothing is stored yet.
      if (parts.length === 1 || part.matches("select, [type=color]")) store();
    });
    part.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (part.tagName !== "TEXTAREA" || event.ctrlKey)) {
        event.preventDefault();
        store();
      } else if (event.key === "Escape" && isDirty && !isStoring) {
        event.stopPropagation();
        settle(false);
        show(now);
        now.checked?.();
      }
    });
  }
  if (parts.length > 1) {
    element.addEventListener("focusout", (event) => {
      if (!element.contains(event.relatedTarget)) store();
    });
  }
  show(place);
  return {
    element,
    isDirty: () => isDirty,
    update(next) {
      const isOther = !same(next.value ?? null, now.value ?? null);
      now = next;
      for (const part of parts) part.disabled = Boolean(next.disabled);
      if (!isDirty) show(next);
      else if (isOther && !isStoring) next.meanwhile?.(next.value);
    },
  };
}
