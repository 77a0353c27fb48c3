// The controls of tables and of records. Each field is edited by itself, so that only its bytes change.

import { formOf } from "./controls.js";
import { announce, button, el, newID } from "./dom.js";
import { literal } from "./toml.js";
import { asDraft } from "./typed.js";

/** A member of a table, whose name may be anything: 'constructor', '__proto__'. */
const member = (value, name) => (value && Object.hasOwn(value, name) ? value[name] : undefined);
const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function kindOfMember(value, rule) {
  if (rule?.type && rule.type !== "any") return rule.type;
  if (Array.isArray(value)) return "array";
  if (isTable(value)) return "table";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "float";
  return typeof value === "bigint" ? "integer" : "string";
}

/**
 * The members of a table. `make` makes the control of a member; `place.path` is the path of the table, and
 * `place.store(path, edit)` and `place.remove(path)` edit what is within it.
 */
export function table(place, make) {
  let now = place;
  const controls = new Map();
  let former = [];
  const body = el("div", { class: "members", role: "group", "aria-labelledby": place.name, "aria-label": place.label });
  const element = el("div", { class: "table-box" }, body);

  const memberPlace = (name) => {
    const fields = now.rule.fields ?? {};
    const rule = (Object.hasOwn(fields, name) ? fields[name] : now.rule.element) ?? {};
    const value = member(now.value, name);
    const path = [...now.path, name];
    return {
      ...now, path, rule, value, own: member(now.own, name), isStored: member(now.own, name) !== undefined,
      node: null, kind: kindOfMember(value ?? rule.default, rule), label: undefined, ...now.actions(path),
    };
  };

  function show() {
    const listed = Object.keys(now.rule.fields ?? {});
    const names = [...new Set([...listed, ...Object.keys(now.value ?? {})])];
    const { activeElement } = document;
    const focused = [...controls].find(([, control]) => control.row.contains(activeElement))?.[0];
    const at = names.indexOf(focused);
    for (const [name, control] of controls) {
      const next = names.includes(name) ? memberPlace(name) : null;
      if (next && (formOf(next) === control.form || control.isDirty())) continue;
      control.row.remove();
      controls.delete(name);
    }
    names.forEach((name, place) => {
      const next = memberPlace(name);
      let control = controls.get(name);
      if (control) control.update({ ...next, name: control.id });
      else {
        const id = newID("member");
        const made = make({ ...next, name: id });
        const remove = button("Remove", () => now.remove([...now.path, name]), { class: "quiet small", "aria-label": `Remove ${name}` });
        const note = el("span", { class: "badge plain-badge" }, "default");
        const row = el("div", { class: "member" }, el("span", { class: "member-name", id }, name), made.element, remove, note);
        control = { ...made, row, id, form: formOf(next), remove, note };
        controls.set(name, control);
      }
      if (!next.isStored && control.remove === document.activeElement) focusField(control.row);
      // What is not in the file cannot be taken out of it.
      control.remove.hidden = !next.isStored;
      control.note.hidden = next.isStored || next.value === undefined || next.value === null;
      control.remove.disabled = Boolean(now.disabled);
      if (body.children[place] !== control.row) body.insertBefore(control.row, body.children[place] ?? null);
    });
    body.classList.toggle("empty", names.length === 0);
    // The field that had the focus was made again, or is gone.
    if (focused !== undefined && !element.contains(document.activeElement)) {
      focusField(controls.get(names[at < 0 ? former.indexOf(focused) : at])?.row ?? element.lastChild);
    }
    former = names;
  }

  if (!place.rule.fields || place.rule.isOpen) element.append(adder("New field", "Add field", async (name, input) => {
    const type = now.rule.element?.type;
    const value = type === "boolean" ? { value: false } : /^(integer|float)/.test(type ?? "") ? { value: 0 } : { value: "" };
    return addNew({ now, name, input, edit: value, what: "field", isThere: () => controls.has(name) });
  }, (name) => controls.get(name)?.element, place));
  show();
  return {
    element,
    isDirty: () => [...controls.values()].some((control) => control.isDirty()),
    update(next) {
      now = { ...next };
      show();
    },
  };
}

/** Records: tables with a name each. They can be added, renamed and removed. */
export function records(place, make) {
  let now = place;
  const cards = new Map();
  const body = el("div", { class: "records", role: "group", "aria-labelledby": place.name });
  const element = el("div", { class: "records-box" }, body);

  const recordPlace = (name) => ({
    ...now, path: [...now.path, name], value: member(now.value, name), own: member(now.own, name), kind: "table", node: null,
    rule: { ...now.rule, choices: null }, label: `Fields of ${name}`, name: undefined,
  });

  function show() {
    const names = Object.keys(now.value ?? {});
    const focused = [...cards].find(([, card]) => card.element.contains(document.activeElement))?.[0];
    const place = [...cards.keys()].indexOf(focused);
    for (const [name, card] of cards) {
      if (names.includes(name) && isTable(member(now.value, name))) continue;
      card.element.remove();
      cards.delete(name);
    }
    names.forEach((name, at) => {
      if (!isTable(member(now.value, name))) return;
      let card = cards.get(name);
      if (card) card.control.update(recordPlace(name));
      else {
        card = makeCard(name);
        cards.set(name, card);
      }
      for (const one of card.buttons) {
        one.disabled = Boolean(now.disabled);
        one.hidden = member(now.own, name) === undefined;
      }
      if (body.children[at] !== card.element) body.insertBefore(card.element, body.children[at] ?? null);
    });
    // The record that had the focus is gone: the next one has its place.
    if (place >= 0 && !element.contains(document.activeElement)) focusField(body.children[Math.min(place, names.length - 1)] ?? element.lastChild);
  }

  function makeCard(name) {
    const control = table(recordPlace(name), make);
    const title = el("h4", { class: "record-name" }, name);
    const rename = button("Rename", () => {
      const input = el("input", { class: "field", type: "text", value: name, "aria-label": `New name of ${name}`, spellcheck: "false", autocomplete: "off" });
      const back = () => {
        form.replaceWith(title);
        rename.hidden = false;
        rename.focus();
      };
      const form = el("form", { class: "with-unit", onsubmit: async (event) => {
        event.preventDefault();
        const to = input.value.trim();
        if (to === "" || to === name) return back();
        if (await now.rename([...now.path, name], [...now.path, to])) {
          announce(`Renamed ${name} to ${to}.`);
          cards.get(to)?.element.querySelector("button")?.focus();
        }
        return undefined;
      }, onkeydown: (event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        back();
      } }, input, el("button", { type: "submit" }, "Rename"), button("Cancel", back, { class: "quiet" }));
      title.replaceWith(form);
      rename.hidden = true;
      input.focus();
      input.select();
    }, { class: "quiet small", "aria-label": `Rename ${name}` });
    const remove = button("Remove", () => now.remove([...now.path, name]), { class: "quiet small", "aria-label": `Remove ${name}` });
    const element = el("section", { class: "record", "aria-label": name }, el("div", { class: "record-head" }, title, rename, remove), control.element);
    return { element, control, buttons: [rename, remove] };
  }

  element.append(adder("New record", "Add record", async (name, input) => {
    const needed = Object.entries(now.rule.fields ?? {}).filter(([, rule]) => rule.isRequired && rule.default !== undefined && rule.default !== null);
    const edit = { toml: literal(Object.fromEntries(needed.map(([field, rule]) => [field, rule.default]))) };
    return addNew({ now, name, input, edit, what: "record", isThere: () => member(now.value, name) !== undefined });
  }, (name) => cards.get(name)?.element.querySelector(".members"), place));
  show();
  return {
    element,
    isDirty: () => [...cards.values()].some((card) => card.control.isDirty()),
    update(next) {
      now = next;
      show();
    },
  };
}

/** Stores what is new; what has the name already is not replaced. Returns whether it was stored. */
async function addNew({ now, name, input, edit, what, isThere }) {
  const refuse = () => now.refuse(`There is a ${what} '${name}' already. Choose another name.`, input);
  if (isThere()) {
    refuse();
    return false;
  }
  return now.store([...now.path, name], edit, { field: input, isAsShown: ({ value }) => value === undefined, changed: refuse });
}

/** A field for the name of something new. A name that is refused stays; what was added gets the focus if the name has it. */
function adder(label, title, add, find, { disabled }) {
  const input = el("input", { class: "field", type: "text", "aria-label": label, placeholder: "name", spellcheck: "false", autocomplete: "off", disabled });
  const showDraft = asDraft(input);
  const submit = el("button", { type: "submit", disabled }, title);
  const form = el("form", { class: "with-unit adder", onsubmit: async (event) => {
    event.preventDefault();
    const typed = input.value;
    const name = typed.trim();
    if (name === "" || !await add(name, input)) return;
    if (input.value === typed) input.value = "";
    showDraft();
    const added = find(name);
    if (added && form.contains(document.activeElement)) focusField(added);
  } }, input, submit);
  return form;
}

const focusField = (within) => within?.querySelector("input:not([disabled]), select:not([disabled]), textarea:not([disabled]), button:not([disabled])")?.focus();
