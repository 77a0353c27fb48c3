// The control of an array of simple values: its elements can be edited, added, removed, and moved by keyboard and pointer.

import { announce, button, el, icon, iconButton } from "./dom.js";
import { names } from "./typed.js";
import { kindOf, literal, quote } from "./toml.js";

/** Whether a value is an array that this control can show. */
export const isPlainList = ({ value, node }) =>
  (value ?? []).every((item) => item !== null && typeof item !== "object") && !(node?.items ?? []).some((item) => item.items || item.members);

/** The elements with their texts, so that the ones nobody edits keep their notation. */
function itemsOf({ value, node, rule }) {
  if (node?.items) return node.items.map((item) => ({ kind: item.kind, raw: item.raw, text: item.kind === "string" ? item.value : item.raw }));
  const type = rule.element?.type;
  return (value ?? []).map((item) => {
    if (typeof item === "string" && !/^(offset|local)-/.test(type ?? "")) return { kind: "string", raw: quote(item), text: item };
    const raw = typeof item === "string" ? item : /^float/.test(type ?? "") && Number.isInteger(item) ? `${item}.0` : literal(item);
    return { kind: kindOf(raw), raw, text: raw };
  });
}

const isSame = (a, b) => a.length === b.length
  && a.every((item, at) => item.kind === b[at].kind && (item.kind === "string" ? item.text === b[at].text : item.raw === b[at].raw));

export function list(place) {
  let now = place;
  let items = itemsOf(place);
  let isDirty = false;
  const rows = el("ol", { class: "items", "aria-labelledby": place.name, "aria-label": place.label });
  const adding = el("input", { class: "field", type: "text", "aria-label": "New element", placeholder: "new element", spellcheck: "false", autocomplete: "off", disabled: place.disabled });
  const add = button("Add", () => append(), { disabled: place.disabled });
  const element = el("div", { class: "list-box", role: "group", ...names(place, { disabled: undefined }) }, rows, el("div", { class: "with-unit adder" }, adding, add));

  const settle = (dirty) => {
    isDirty = dirty;
    element.toggleAttribute("data-draft", dirty);
  };

  const elementKind = () => {
    const type = now.rule.element?.type ?? items[0]?.kind ?? "string";
    return /^(integer|float|float32|boolean|offset-date-time|local-)/.test(type) ? type.replace("float32", "float") : "string";
  };

  /** What was typed, as the text of an element. */
  const rawOf = (text, kind) => {
    if (kind === "string") return quote(text);
    return kind === "float" && /^[+-]?\d+$/.test(text) ? `${text}.0` : text.trim();
  };

  async function store(next, said) {
    const isText = !now.node && next.every((item) => item.kind === "string");
    const edit = isText ? { value: next.map((item) => item.text) } : { toml: `[${next.map((item) => item.raw).join(", ")}]` };
    const former = items;
    items = next;
    show();
    settle(false);
    const isStored = await now.commit(edit, { isAsShown: (present) => isSame(itemsOf({ ...now, ...present }), former) });
    if (isStored) return announce(said);
    items = itemsOf(now);
    show();
    return undefined;
  }

  function append() {
    if (adding.value === "") return;
    const kind = elementKind();
    const text = adding.value;
    adding.value = "";
    store([...items, { kind, raw: rawOf(text, kind), text }], `Added ${text}.`).then(() => adding.focus());
  }

  async function move(from, to) {
    if (to < 0 || to >= items.length || from === to) return;
    const next = [...items];
    next.splice(to, 0, ...next.splice(from, 1));
    await store(next, `Moved to place ${to + 1} of ${items.length}.`);
    rows.children[to]?.querySelector(".grip")?.focus();
  }

  function row(item, at) {
    const label = `Element ${at + 1}`;
    const { choices } = now.rule.element ?? {};
    const more = { class: "field", "aria-label": label, disabled: now.disabled };
    const input = choices?.length ? el("select", more, choices.map((value) => el("option", { value: String(value) }, String(value))))
      : el("input", { ...more, type: "text", spellcheck: "false", autocomplete: "off" });
    input.value = item.text;
    input.addEventListener("input", () => settle(true));
    input.addEventListener("change", () => {
      if (input.value === item.text) return settle(false);
      const next = [...items];
      next[at] = { kind: item.kind, raw: rawOf(input.value, item.kind), text: input.value };
      return store(next, `Changed element ${at + 1}.`);
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !isDirty) return;
      event.stopPropagation();
      input.value = item.text;
      settle(false);
    });
    const grip = el("button", {
      type: "button", class: "quiet icon-button grip", disabled: now.disabled,
      "aria-label": `Move element ${at + 1} of ${items.length}: ${item.text}`, title: "Drag, or press the up and down arrow keys",
      onkeydown: (event) => {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!by) return;
        event.preventDefault();
        move(at, at + by);
      },
      onpointerdown: (event) => drag(event, at),
    }, icon("grip"));
    return el("li", { class: "item" }, grip, input,
      iconButton("up", `Move element ${at + 1} up`, () => move(at, at - 1), { disabled: now.disabled || at === 0 }),
      iconButton("down", `Move element ${at + 1} down`, () => move(at, at + 1), { disabled: now.disabled || at === items.length - 1 }),
      iconButton("remove", `Remove element ${at + 1}: ${item.text}`, () => store(items.filter((_, i) => i !== at), `Removed ${item.text}.`), { disabled: now.disabled }));
  }

  /** Moves an element with the pointer: the one under the pointer is where it goes. */
  function drag(start, from) {
    if (start.button !== 0) return;
    const source = rows.children[from];
    const grip = start.currentTarget;
    grip.setPointerCapture(start.pointerId);
    source.classList.add("dragged");
    let to = from;
    const follow = (event) => {
      const boxes = [...rows.children].map((child) => child.getBoundingClientRect());
      const under = boxes.findIndex((box) => event.clientY < box.bottom);
      to = under < 0 ? boxes.length - 1 : under;
      [...rows.children].forEach((child, i) => {
        child.classList.toggle("drop-before", i === to && to < from);
        child.classList.toggle("drop-after", i === to && to > from);
      });
    };
    const end = (event) => {
      grip.removeEventListener("pointermove", follow);
      grip.removeEventListener("pointerup", end);
      grip.removeEventListener("pointercancel", end);
      for (const child of rows.children) child.classList.remove("dragged", "drop-before", "drop-after");
      if (event.type === "pointerup") move(from, to);
    };
    grip.addEventListener("pointermove", follow);
    grip.addEventListener("pointerup", end);
    grip.addEventListener("pointercancel", end);
  }

  function show() {
    rows.replaceChildren(...items.map(row));
    rows.hidden = items.length === 0;
  }

  adding.addEventListener("keydown", (event) => {
    if (event.key === "Enter") append();
  });
  show();
  return {
    element,
    isDirty: () => isDirty,
    update(next) {
      const isOther = literal(next.value ?? []) !== literal(now.value ?? []) || next.node?.raw !== now.node?.raw;
      const turns = Boolean(next.disabled) !== Boolean(now.disabled);
      now = next;
      adding.disabled = add.disabled = Boolean(next.disabled);
      if (isDirty) {
        if (isOther) next.meanwhile?.(next.value);
        return;
      }
      if (!isOther && !turns) return;
      const fresh = itemsOf(next);
      // What this control has just stored is shown already.
      const isShown = isSame(fresh, items);
      items = fresh;
      if (isShown && !turns) return;
      const focused = [...rows.querySelectorAll("input, select, button")].indexOf(document.activeElement);
      show();
      if (focused >= 0) rows.querySelectorAll("input, select, button")[focused]?.focus();
    },
  };
}
