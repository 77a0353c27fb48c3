// What the controls share: names, and how a text that is typed is checked, stored and taken back.

import { unified } from "./diff.js";
import { isNone, literal } from "./toml.js";

/** The names and states that every control has. */
export function names(place, more = {}) {
  return {
    "aria-labelledby": place.label ? undefined : place.name, "aria-label": place.label, "aria-describedby": place.hint,
    disabled: place.disabled, ...more,
  };
}

/** Whether two values are the same. */
export const same = (a, b) => a === b || literal(a) === literal(b);

/** Whether the file has another value than the one that counts, which may be stored over it: it is invalid, or hidden. */
export const hasOther = ({ isStored, own, value, disabled }) => isStored && !disabled && !same(own ?? null, value ?? null);

// Whether an edit would store what is there.
const isPresent = (edit, { value, node, ...place }) => !hasOther({ value, ...place }) && (edit.toml === undefined ? same(edit.value, value ?? null)
  : edit.toml === (node?.raw ?? (isNone(value) ? null : literal(value))));

/** A value as the text of a field. */
export const shown = (value) => (isNone(value) ? "" : String(value));

/** Says what a text would have to be. */
export const isNot = (text, kind) => `'${text.trim()}' is ${noneOf[kind] ?? "not one value"}.`;

const noneOf = {
  integer: "not an integer, such as 12", float: "not a number, such as 1.5", float32: "not a number, such as 1.5",
  boolean: "neither true nor false", "local-date": "not a date, such as 2026-12-31", "local-time": "not a time, such as 18:30:00",
  "local-date-time": "not a date with a time, such as 2026-12-31T18:30:00",
  "offset-date-time": "not a date with a time and an offset, such as 2026-12-31T18:30:00Z",
};

/**
 * Has what is typed and not added count as a draft, too, which Escape gives up. Returns what gives it another text.
 * `settled()` runs when it is empty again. `box` is a field, or one that grows.
 */
export function asDraft(box, settled) {
  const parts = box.parts ?? [box];
  const changed = () => {
    for (const part of parts) part.toggleAttribute("data-draft", box.value !== "");
    if (box.value === "") settled();
  };
  const set = (text) => {
    box.value = text;
    changed();
  };
  for (const part of parts) {
    part.addEventListener("input", changed);
    part.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing || box.value === "") return;
      event.stopPropagation();
      set("");
    });
  }
  return set;
}

/**
 * A field of one line, in whose place one of several is as soon as its text has them: Shift+Enter begins another line, and
 * what is pasted may have some. `turned(isLong)` runs when the other one has its place.
 */
export function growing(line, lines, { turned = () => {}, isText = () => true } = {}) {
  const turn = (isLong) => {
    const former = box.field;
    const next = isLong ? lines : line;
    if (next === former) return;
    const { selectionStart, selectionEnd } = former;
    const hasFocus = former === document.activeElement;
    box.field = next;
    next.value = former.value;
    former.before(next);
    if (hasFocus) {
      next.focus();
      next.setSelectionRange(selectionStart, selectionEnd);
    }
    // What has the focus stays in the document: it would be left, and what is typed be stored, while this goes on.
    former.remove();
    turned(isLong);
  };
  const box = {
    parts: [line, lines], field: line,
    get value() {
      return box.field.value;
    },
    set value(text) {
      turn(text.includes("\n"));
      box.field.value = text;
    },
    /** Puts a text with a line break where the cursor is. */
    insert(text) {
      const { selectionStart, selectionEnd } = box.field;
      turn(true);
      lines.focus();
      lines.setRangeText(text, selectionStart, selectionEnd, "end");
      lines.dispatchEvent(new Event("input"));
    },
  };
  line.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.shiftKey || event.isComposing || !isText()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    box.insert("\n");
  });
  line.addEventListener("paste", (event) => {
    const pasted = unified(event.clipboardData?.getData("text/plain") ?? "");
    if (!isText() || !pasted.replace(/\n$/, "").includes("\n")) return;
    event.preventDefault();
    box.insert(pasted);
  });
  return box;
}

/** Whether a key stores what is typed. In a text of several lines, Enter begins another one. */
export const storesBy = ({ key, ctrlKey, shiftKey, target }) => key === "Enter" && (target.matches("textarea") ? ctrlKey : !shiftKey);

/** How long a control that is stepped through waits for the next step, in milliseconds. */
const pause = 400;

/**
 * An input whose text is checked as it is typed, and stored on Enter, when the focus leaves it, or a moment after the last
 * of several steps. Escape gives it up. What was refused stays as it was typed. Over a value that has changed meanwhile it
 * is stored by Enter or a button alone.
 *
 * `read(place)` returns the edit, null for none, or throws an Error with what is wrong. What is `beside` can be used when the
 * input can.
 */
export function typed(place, input, { read, show, element = input, parts = [input], beside = [] }) {
  let now = place;
  let isDirty = false;
  let isStoring = false;
  let storesAgain = false;
  /** Whether the person was told that the value has changed under what is typed. */
  let isContested = false;
  let timer = 0;
  /** The file that what is typed is meant for. */
  let meant = place.file;
  /** Counts what is typed: a text that was typed while another one was being stored is stored after it. */
  let edition = 0;
  /** What the parts have as long as nobody types. */
  let texts = [];
  const showStored = () => {
    show(now);
    texts = parts.map((part) => part.value);
  };
  const settle = (dirty) => {
    isDirty = dirty;
    isContested &&= dirty;
    element.toggleAttribute("data-draft", dirty);
    if (!dirty) now.settled();
  };
  const giveUp = () => {
    clearTimeout(timer);
    showStored();
    settle(false);
    now.checked();
  };
  const contest = (file = meant) => {
    isContested = true;
    now.meanwhile(now.value, { field: input, file, store, giveUp });
  };
  /** Whether a date is typed in part, of which the browser says nothing. */
  const isHalf = () => parts.some((part) => part.validity.badInput);
  const tryRead = () => {
    try {
      return read(now);
    } catch (error) {
      now.refuse(error.message, input);
      return undefined;
    }
  };
  const changed = () => {
    edition += 1;
    settle(true);
    if (isContested) return;
    now.checked();
    const edit = tryRead();
    if (edit) now.check(edit, { field: input, isEmptied: edit.value === "" && now.isStored });
  };
  /** Stores an edit, or takes the value out of the file: somebody who empties a field that cannot be empty means that. */
  const commit = async (edit) => {
    const { value, file } = now;
    const options = { field: input, file, isAsShown: (present) => same(present.value ?? null, value ?? null), changed: () => {} };
    const isReset = edit === null || (edit.value === "" && !(await now.accepts(edit)));
    if (isReset && !now.isStored) return true;
    const isStored = await (isReset ? now.reset(options) : now.commit(edit, options));
    // Another may have stored the same meanwhile.
    if (isStored || (edit !== null && isPresent(edit, now))) return true;
    if (now.file !== file || !options.isAsShown(now)) contest(file);
    return false;
  };
  const store = async ({ leaves = false } = {}) => {
    clearTimeout(timer);
    if (!isDirty && !isHalf()) return;
    if (leaves && isContested) return;
    if (isStoring) {
      storesAgain = true;
      return;
    }
    settle(true);
    const edit = tryRead();
    if (edit === undefined) return;
    if (edit !== null && isPresent(edit, now)) {
      giveUp();
      return;
    }
    const stored = edition;
    isStoring = true;
    const isStored = await commit(edit);
    isStoring = false;
    const isOther = edition !== stored;
    if (storesAgain) {
      storesAgain = false;
      if (isOther) return void store({ leaves });
    }
    if (!isStored || isOther) return;
    showStored();
    settle(false);
  };
  /** Stores it when nothing more has changed for a moment. */
  const storeSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => store({ leaves: true }), pause);
  };
  for (const part of parts) {
    part.addEventListener("input", changed);
    part.addEventListener("change", () => {
      // Assistive technology may set a value without the event of typing; and browsers say this of what was typed before.
      if (!isDirty && parts.some((one, at) => one.value !== texts[at])) changed();
      // A date says this of each digit; and what is left is stored below.
      if (part.type === "color") store();
    });
    part.addEventListener("keydown", (event) => {
      // These keys belong to the input method while it composes.
      if (event.isComposing) return;
      if (storesBy(event)) {
        event.preventDefault();
        store();
      } else if (event.key === "Escape" && (isDirty || isHalf()) && !isStoring) {
        event.stopPropagation();
        giveUp();
      }
    });
  }
  element.addEventListener("focusout", (event) => {
    // If it is still the active one, it is the window that has lost the focus, and nobody has left the field.
    if (!element.contains(event.relatedTarget) && !element.contains(document.activeElement)) store({ leaves: true });
  });
  showStored();
  return {
    element, changed, storeSoon,
    isDirty: () => isDirty,
    update(next) {
      const isOther = next.file !== now.file || !same(next.value ?? null, now.value ?? null);
      const isBack = now.disabled && !next.disabled;
      if (!isDirty && !isHalf()) meant = next.file;
      now = next;
      // What somebody types into keeps the focus, such as while another program breaks the file.
      for (const part of parts) part.disabled = Boolean(next.disabled) && !isDirty;
      for (const one of beside) one.disabled = Boolean(next.disabled);
      if (!isDirty && !isHalf()) showStored();
      else if (isOther && !isStoring) contest();
      else if (isBack) changed();
    },
  };
}

/**
 * What is chosen among a few: stored at once, but a moment after the last of several keys that step through them, on Enter,
 * or when the focus leaves. Returns `chosen()`, which the control calls for each choice, and whether one waits.
 */
export function stepped(element, { file = () => {}, commit, giveUp }) {
  let timer = 0;
  /** The file that is meant by the first of several steps. */
  let meant;
  let isStepping = false;
  const end = (does) => {
    if (timer === 0) return;
    clearTimeout(timer);
    timer = 0;
    does(meant);
  };
  element.addEventListener("pointerdown", () => { isStepping = false; });
  element.addEventListener("keydown", (event) => {
    // Space chooses one.
    isStepping = event.key !== " ";
    if (event.key === "Enter") end(commit);
    else if (event.key === "Escape" && timer !== 0) {
      event.stopPropagation();
      end(giveUp);
    }
  });
  element.addEventListener("focusout", (event) => {
    if (!element.contains(event.relatedTarget)) end(commit);
  });
  return {
    isWaiting: () => timer !== 0,
    chosen() {
      if (timer === 0) meant = file();
      clearTimeout(timer);
      timer = setTimeout(() => end(commit), isStepping ? pause : 0);
      if (!isStepping) end(commit);
    },
  };
}
