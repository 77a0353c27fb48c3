// The controls of tables and of records. Each field is edited by itself, so that only its bytes change.

import { announce, button, el, newID } from "./dom.js";
import { literal } from "./toml.js";

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
  const body = el("div", { class: "members", role: "group", "aria-labelledby": place.name, "aria-label": place.label });
  const element = el("div", { class: "table-box" }, body);

  const memberPlace = (name) => {
    const fields = now.rule.fields ?? {};
    const rule = (Object.hasOwn(fields, name) ? fields[name] : now.rule.element) ?? {};
    const value = member(now.value, name);
    const path = [...now.path, name];
    return {
      ...now, path, rule, value, node: null, kind: kindOfMember(value ?? rule.default, rule), label: undefined,
      commit: (edit, options) => now.store(path, edit, options),
      check: (edit) => now.checkAt?.(path, edit),
    };
  };

  function show() {
    const listed = Object.keys(now.rule.fields ?? {});
    const names = [...new Set([...listed, ...Object.keys(now.value ?? {})])];
    for (const [name, control] of controls) {
      const next = names.includes(name) ? memberPlace(name) : null;
      if (next && next.kind === control.kind) continue;
      control.row.remove();
      controls.delete(name);
    }
    names.forEach((name, at) => {
      const next = memberPlace(name);
      let control = controls.get(name);
      if (control) control.update({ ...next, name: control.id });
      else {
        const id = newID("member");
        const made = make({ ...next, name: id });
        const remove = button("Remove", () => now.remove([...now.path, name]), { class: "quiet small", "aria-label": `Remove ${name}` });
        const row = el("div", { class: "member" }, el("span", { class: "member-name", id }, name), made.element, remove);
        control = { ...made, row, id, kind: next.kind, remove };
        controls.set(name, control);
      }
      control.remove.hidden = member(now.value, name) === undefined;
      control.remove.disabled = Boolean(now.disabled);
      if (body.children[at] !== control.row) body.insertBefore(control.row, body.children[at] ?? null);
    });
    body.classList.toggle("empty", names.length === 0);
  }

  if (!place.rule.fields || place.rule.isOpen) element.append(adder("New field", "name", async (name) => {
    const type = now.rule.element?.type;
    const value = type === "boolean" ? { value: false } : /^(integer|float)/.test(type ?? "") ? { value: 0 } : { value: "" };
    await now.store([...now.path, name], value);
    controls.get(name)?.element.querySelector("input, select, textarea")?.focus();
  }, place));
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
    ...now, path: [...now.path, name], value: member(now.value, name), kind: "table", node: null,
    rule: { ...now.rule, choices: null }, label: `Fields of ${name}`, name: undefined,
  });

  function show() {
    const names = Object.keys(now.value ?? {});
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
      for (const one of card.buttons) one.disabled = Boolean(now.disabled);
      if (body.children[at] !== card.element) body.insertBefore(card.element, body.children[at] ?? null);
    });
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

  element.append(adder("New record", "name", async (name) => {
    const needed = Object.entries(now.rule.fields ?? {}).filter(([, rule]) => rule.isRequired && rule.default !== undefined && rule.default !== null);
    await now.store([...now.path, name], { toml: literal(Object.fromEntries(needed.map(([field, rule]) => [field, rule.default]))) });
    cards.get(name)?.element.querySelector("input, select, textarea")?.focus();
  }, place));
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

function adder(label, placeholder, add, { disabled }) {
  const input = el("input", { class: "field", type: "text", "aria-label": label, placeholder, spellcheck: "false", autocomplete: "off", disabled });
  return el("form", { class: "with-unit adder", onsubmit: (event) => {
    event.preventDefault();
    const name = input.value.trim();
    if (name === "") return;
    input.value = "";
    add(name);
  } }, input, el("button", { type: "submit", disabled }, label === "New record" ? "Add record" : "Add field"));
}
