// The control of an array of simple values: its elements can be edited, added, removed, and moved by keyboard and pointer.

import { announce, button, el, icon, iconButton, newID } from "./dom.js";
import { alike } from "./diff.js";
import { LongList } from "./list.js";
import { asDraft, growing, isNot, names, stepped, storesBy } from "./typed.js";
import { asKind, kindOf, literal, quote, scalarOf } from "./toml.js";

/** Whether a value is an array that this control can show. */
export const isPlainList = ({ value, node }) =>
  (value ?? []).every((item) => item !== null && typeof item !== "object") && !(node?.items ?? []).some((item) => item.items || item.members);

/** The elements with their texts, so that the ones nobody edits keep their notation. */
function itemsOf({ value, node, rule }) {
  if (node?.items) return node.items.map((item) => ({ kind: item.kind, raw: item.raw, text: item.kind === "string" ? item.value : item.raw }));
  const type = rule.element?.type;
  // What is no list may be in its place while somebody types.
  return [value ?? []].flat().map((item) => {
    if (typeof item === "string" && !/^(offset|local)-/.test(type ?? "")) return { kind: "string", raw: quote(item), text: item };
    const raw = typeof item === "string" ? item : asKind(literal(item), type);
    return { kind: kindOf(raw), raw, text: raw };
  });
}

/** The option for an element, whose number may have another notation than the schema's. */
const optionOf = ({ options }, { kind, text }) =>
  [...options].find(({ value }) => value === text || (kind !== "string" && Number(value) === Number(text.replaceAll("_", ""))))?.value ?? text;

const isSame = (a, b) => a.length === b.length
  && a.every((item, at) => item.kind === b[at].kind && (item.kind === "string" ? item.text === b[at].text : item.raw === b[at].raw));

export function list(place) {
  let now = place;
  let rows = [];
  /** Whether the person was told that the list has changed under what is typed. */
  let isContested = false;
  /** The file that what is typed is meant for. */
  let meant = place.file;
  /** How many new elements are being stored. One that is refused is typed text again. */
  let adds = 0;
  const body = el("ol", { class: "items", "aria-labelledby": place.name, "aria-label": place.label });
  const adding = field({ "aria-label": "New element", placeholder: "new element" }, () => elementKind() === "string", "choose one");
  const setAdding = asDraft(adding, () => {
    if (areRowsDirty()) return;
    isContested = false;
    now.checked();
    now.settled();
  });
  const add = button("Add", () => {
    adding.field.focus();
    append();
  }, { disabled: place.disabled });
  const element = el("div", { class: "list-box", role: "group", ...names(place, { disabled: undefined }) }, el("div", {}, body), el("div", { class: "with-unit adder" }, adding.field, add));

  /** What is near the screen of a long list is in the document, and has its elements. */
  const shownRows = new LongList(body, { height: 36, whole: 50, build });

  const items = () => rows.map((row) => row.item);
  const kept = () => rows.map((row) => ({ row, item: row.item }));
  const areRowsDirty = () => rows.some((row) => row.isDirty);
  const isTyped = () => areRowsDirty() || adding.value !== "";

  const elementKind = () => {
    const type = now.rule.element?.type ?? rows[0]?.item.kind ?? "string";
    return /^(integer|float|float32|boolean|offset-date-time|local-)/.test(type) ? type.replace("float32", "float") : "string";
  };

  /** What was typed, as an element of a kind. What is none, or several, is refused: null. */
  const itemOf = (text, kind, source) => {
    const raw = kind === "string" ? quote(text) : scalarOf(text, kind);
    if (raw === null) now.refuse(isNot(text, kind), source);
    return raw === null ? null : { kind, raw, text };
  };

  /** A field for an element: of one line or several if it is a text, or a choice. */
  function field(more, isText, none) {
    const { disabled, rule } = now;
    const choices = rule.element?.choices ?? (rule.element?.type === "boolean" ? [true, false] : []);
    if (choices.length === 0) {
      return growing(el("input", { ...more, class: "field", type: "text", spellcheck: "false", autocomplete: "off", disabled }),
        el("textarea", { ...more, class: "field", rows: 2, title: "Ctrl+Enter stores it", spellcheck: "false", disabled }), { isText });
    }
    const select = el("select", { ...more, placeholder: null, class: "field", disabled },
      none && el("option", { value: "" }, none), choices.map((value) => el("option", { value: String(value) }, String(value))));
    return { parts: [select], field: select, get value() { return select.value; }, set value(text) { select.value = text; } };
  }

  /** Shows other rows and stores their elements. What is refused is taken back, and stays where it was typed. */
  async function store(next, said, source) {
    const { file } = now;
    if (!Array.isArray(now.value ?? [])) {
      now.refuse("The file has no list here any more, so nothing was stored. Escape shows what it has.", source);
      return false;
    }
    const shown = itemsOf(now);
    const isText = !now.node && next.every(({ item }) => item.kind === "string");
    const edit = isText ? { value: next.map(({ item }) => item.text) } : { toml: `[${next.map(({ item }) => item.raw).join(", ")}]` };
    const former = kept();
    const basis = isContested ? shown : items();
    rows = next.map(({ row, item }) => Object.assign(row ?? makeRow(item), { item }));
    draw();
    // Another write may be on its way, of which this one is to know.
    const isStored = await now.commit(edit, {
      field: source, file, follows: true, isAsShown: (present) => isSame(itemsOf({ ...now, ...present }), basis),
      changed: () => (areRowsDirty() ? contest(file) : now.refuse("The list was changed meanwhile, so nothing was stored.")),
    });
    if (isStored) {
      isContested = false;
      announce(said);
      return true;
    }
    rows = former.map(({ row, item }) => Object.assign(row, { item }));
    if (!isContested) reconcile(itemsOf(now));
    draw();
    return false;
  }

  /** Says that the list has changed under what is typed, or that another file is edited than the one it was meant for. */
  function contest(file = meant) {
    isContested = true;
    now.meanwhile(now.value, {
      file,
      store: () => {
        const row = rows.find((one) => one.isDirty);
        (row?.box ?? adding).field.focus();
        if (row) row.store();
        else append();
      },
      giveUp,
    });
  }

  /** Shows what is stored, in place of what was typed. */
  function giveUp() {
    for (const row of rows) row.settle(false);
    reconcile(itemsOf(now));
    draw();
    setAdding("");
  }

  async function append() {
    if (adding.value === "") return;
    const item = itemOf(adding.value, elementKind(), adding.field);
    if (item === null) return;
    const { file } = now;
    // The next one may be typed meanwhile.
    adding.value = "";
    for (const part of adding.parts) part.removeAttribute("data-draft");
    adds += 1;
    const isStored = await store([...kept(), { item }], `Added ${item.text}.`, adding.field);
    adds -= 1;
    if (isStored) {
      if (!isTyped()) now.settled();
      return;
    }
    if (adding.value === "") setAdding(item.text);
    if (now.file !== file) contest(file);
  }

  function move(from, to) {
    if (to < 0 || to >= rows.length || from === to) return;
    const next = kept();
    next.splice(to, 0, ...next.splice(from, 1));
    store(next, `Moved to place ${to + 1} of ${rows.length}.`);
  }

  function remove(row) {
    const at = rows.indexOf(row);
    (rows[at + 1]?.remover ?? rows[at - 1]?.remover ?? adding.field).focus();
    store(kept().filter((one) => one.row !== row), `Removed ${row.item.text}.`);
  }

  const makeRow = (item) => ({ key: newID("item"), item, isDirty: false, settle() {} });

  /** Makes the elements of a row. */
  function furnish(row) {
    const at = () => rows.indexOf(row);
    row.box = field({}, () => row.item.kind === "string");
    const { box } = row;
    const select = box.field.matches("select") ? box.field : null;
    row.settle = (dirty) => {
      row.isDirty = dirty;
      element.toggleAttribute("data-draft", areRowsDirty());
      for (const part of box.parts) part.toggleAttribute("data-draft", dirty);
      if (!dirty) box.value = select ? optionOf(select, row.item) : row.item.text;
    };
    row.store = async ({ leaves = false } = {}) => {
      if (!row.isDirty || row.isStoring || (leaves && isContested)) return;
      const { value } = box;
      if (value === row.item.text) return giveUpRow();
      const changed = itemOf(value, row.item.kind, box.field);
      if (changed === null) return;
      row.isStoring = true;
      const isStored = await store(kept().map((one) => (one.row === row ? { row, item: changed } : one)), `Changed element ${at() + 1}.`, box.field);
      row.isStoring = false;
      if (box.value !== value) {
        if (box.field !== document.activeElement) row.store({ leaves: true });
      } else if (isStored) row.settle(false);
    };
    const giveUpRow = () => {
      row.settle(false);
      if (areRowsDirty()) return;
      reconcile(itemsOf(now));
      draw();
      if (adding.value !== "") return;
      isContested = false;
      now.checked();
    };
    if (select) {
      const { chosen } = stepped(select, { commit: row.store, giveUp: giveUpRow });
      select.addEventListener("change", () => {
        row.settle(true);
        chosen();
      });
    }
    for (const part of box.parts) {
      part.addEventListener("input", () => row.settle(true));
      if (!select) part.addEventListener("focusout", (event) => {
        if (part !== document.activeElement && !box.parts.includes(event.relatedTarget)) row.store({ leaves: true });
      });
      part.addEventListener("keydown", (event) => {
        if (event.isComposing) return;
        if (storesBy(event)) {
          event.preventDefault();
          row.store();
        } else if (event.key === "Escape" && row.isDirty) {
          event.stopPropagation();
          giveUpRow();
        }
      });
    }
    row.grip = el("button", {
      type: "button", class: "quiet icon-button grip", title: "Drag, or press the up and down arrow keys",
      onkeydown: (event) => {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!by) return;
        event.preventDefault();
        move(at(), at() + by);
      },
      onpointerdown: (event) => drag(event, at()),
    }, icon("grip"));
    row.up = iconButton("up", "", () => move(at(), at() - 1));
    row.down = iconButton("down", "", () => move(at(), at() + 1));
    row.remover = iconButton("remove", "", () => remove(row));
    row.element = el("li", { class: "item" }, row.grip, box.field, row.up, row.down, row.remover);
    row.settle(row.isDirty);
  }

  /** The element of a row, with its names. */
  function build(row) {
    if (!row.element) furnish(row);
    const at = rows.indexOf(row);
    const { text } = row.item;
    const name = (one, label) => {
      one.setAttribute("aria-label", label);
      if (one !== row.grip) one.title = label;
    };
    for (const part of row.box.parts) {
      part.setAttribute("aria-label", `Element ${at + 1}`);
      part.disabled = Boolean(now.disabled) && !row.isDirty;
    }
    name(row.grip, `Move element ${at + 1} of ${rows.length}: ${text}`);
    name(row.up, `Move element ${at + 1} up`);
    name(row.down, `Move element ${at + 1} down`);
    name(row.remover, `Remove element ${at + 1}: ${text}`);
    row.grip.disabled = row.remover.disabled = Boolean(now.disabled);
    row.up.disabled = now.disabled || at === 0;
    row.down.disabled = now.disabled || at === rows.length - 1;
    return row.element;
  }

  /** Has the rows show other elements. Those that stay keep their rows. */
  function reconcile(fresh) {
    const [start, end] = alike(rows, fresh, (row, item) => isSame([row.item], [item]));
    // Each keeps its place: what is typed belongs to the element that is there.
    const free = rows.slice(start, rows.length - end);
    const middle = fresh.slice(start, fresh.length - end).map((item, at) => Object.assign(free[at] ?? makeRow(item), { item }));
    rows = [...rows.slice(0, start), ...middle, ...rows.slice(rows.length - end)];
    for (const row of rows) if (!row.isDirty) row.settle(false);
  }

  /** Whether the rows can show other elements without taking away what is typed. */
  function canShow(fresh) {
    return rows.every((row, at) => !row.isDirty || (fresh.length === rows.length && isSame([row.item], [fresh[at]])));
  }

  /** Has the rows in the document, in their order and with their names. */
  function draw() {
    const { activeElement } = document;
    const had = body.contains(activeElement);
    shownRows.set([...rows], { keepsPlace: true });
    body.hidden = rows.length === 0;
    if (!had || (activeElement === document.activeElement && !activeElement.disabled)) return;
    // It was moved, or can do nothing any more where it is now.
    const row = rows.find((one) => one.element?.contains(activeElement));
    (row && activeElement.disabled ? row.grip : row ? activeElement : (rows.at(-1)?.box ?? adding).field).focus();
  }

  /** Moves an element with the pointer: the one under the pointer is where it goes. */
  function drag(start, from) {
    if (start.button !== 0) return;
    const source = rows[from].element;
    const seen = () => rows.map((row, at) => ({ at, element: row.element })).filter(({ element }) => element?.isConnected);
    const grip = start.currentTarget;
    grip.setPointerCapture(start.pointerId);
    source.classList.add("dragged");
    let to = from;
    const follow = (event) => {
      const all = seen();
      to = (all.find(({ element }) => event.clientY < element.getBoundingClientRect().bottom) ?? all.at(-1)).at;
      for (const { at, element } of all) {
        element.classList.toggle("drop-before", at === to && to < from);
        element.classList.toggle("drop-after", at === to && to > from);
      }
    };
    const end = (event) => {
      grip.onpointermove = grip.onpointerup = grip.onpointercancel = null;
      for (const { element } of seen()) element.classList.remove("dragged", "drop-before", "drop-after");
      if (event.type === "pointerup") move(from, to);
    };
    grip.onpointermove = follow;
    grip.onpointerup = grip.onpointercancel = end;
  }

  for (const part of adding.parts) part.addEventListener("keydown", (event) => {
    if (!event.isComposing && storesBy(event)) append();
  });
  reconcile(itemsOf(place));
  draw();
  return {
    element,
    isDirty: () => isTyped() || adds > 0,
    update(next) {
      const isOther = literal(next.value ?? []) !== literal(now.value ?? []) || next.node?.raw !== now.node?.raw;
      const turns = Boolean(next.disabled) !== Boolean(now.disabled);
      const isElsewhere = next.file !== now.file && isTyped();
      if (!isTyped()) meant = next.file;
      now = next;
      add.disabled = Boolean(next.disabled);
      for (const part of adding.parts) part.disabled = add.disabled && adding.value === "";
      if (isElsewhere) {
        contest();
        if (areRowsDirty()) return;
      }
      if (!isOther && !turns) return;
      const fresh = itemsOf(next);
      if (isSame(fresh, items())) {
        // What this control has just stored is shown already.
        rows.forEach((row, at) => { row.item = fresh[at]; });
      } else if (canShow(fresh)) reconcile(fresh);
      else {
        if (isOther) contest();
        return;
      }
      draw();
    },
  };
}
