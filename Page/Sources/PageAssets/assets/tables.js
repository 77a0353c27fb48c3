// The controls of tables and of records. Each field is edited by itself, so that only its bytes change.

import { makeControl, makeOf } from "./controls.js";
import { announce, button, el, focusFirst, lineForm, menuButton, newID, once } from "./dom.js";
import { LongList } from "./list.js";
import { isTable, kindBy, member, model, ruleWithin, shownWithin, spoken } from "./model.js";
import { isNone, memberNode } from "./toml.js";
import { asDraft } from "./typed.js";

/** The names that a table has, also those that the file alone has since something in them is invalid. */
const namesIn = (...tables) => [...new Set(tables.flatMap((table) => Object.keys(isTable(table) ? table : {})))];

/** The members of a table at `place.path`. `place.store(path, edit)` and `place.remove(path)` edit what is within it. */
export function table(place) {
  let now = place;
  const controls = new Map();
  let former = [];
  const body = el("div", { class: "members", role: "group", "aria-labelledby": place.name, "aria-label": place.label });
  const element = el("div", { class: "table-box" }, body);

  const memberPlace = (name) => {
    const rule = ruleWithin(now.rule, name) ?? {};
    const shown = shownWithin(now, name);
    const node = memberNode(now.node, name);
    const path = [...now.path, name];
    return {
      ...now, path, rule, ...shown, isStored: shown.own !== undefined,
      node, kind: kindBy(rule, shown.value, node), label: undefined, ...now.actions(path),
    };
  };

  const isField = (name) => Object.hasOwn(now.rule.fields ?? {}, name);

  function show() {
    const names = namesIn(now.rule.fields, now.value, now.own);
    keepDrafts(names, former, (name) => controls.get(name)?.isDirty());
    const { activeElement } = document;
    const focused = [...controls].find(([, control]) => control.row.contains(activeElement))?.[0];
    const at = names.indexOf(focused);
    for (const [name, control] of controls) {
      const next = names.includes(name) ? memberPlace(name) : null;
      if (next && (makeOf(next) === control.made || control.isDirty())) continue;
      control.row.remove();
      controls.delete(name);
    }
    names.forEach((name, place) => {
      const next = memberPlace(name);
      let control = controls.get(name);
      if (control) control.update({ ...next, name: control.id });
      else {
        const id = newID("member");
        const made = makeControl({ ...next, name: id });
        // A name that a person has chosen stays as it is.
        const menu = menuButton(`Menu of ${name}`, () => [[isField(name) && !isNone(now.rule.fields[name].default) ? "Use the default" : "Remove", () => now.remove([...now.path, name]), `Remove ${name}`]]);
        const note = el("span", { class: "badge plain-badge" }, "default");
        const row = el("div", { class: "member" }, el("div", { class: "member-name" }, el("span", { id, title: name }, isField(name) ? spoken(name) : name),
          next.rule.description && el("p", { class: "quiet-text" }, next.rule.description)), made.element, el("div", { class: "member-tools" }, menu, note));
        control = { ...made, row, id, made: makeOf(next), menu, note };
        controls.set(name, control);
      }
      if (!next.isStored && control.menu === document.activeElement) focusField(control.row);
      // What is not in the file cannot be taken out of it.
      control.menu.hidden = !next.isStored;
      control.row.classList.toggle("is-default", !next.isStored);
      control.note.hidden = next.isStored || isNone(next.value);
      control.menu.disabled = Boolean(now.disabled);
      if (body.children[place] !== control.row) body.insertBefore(control.row, body.children[place] ?? null);
    });
    // The field that had the focus was made again, or is gone.
    if (focused !== undefined && !element.contains(document.activeElement)) {
      focusField(controls.get(names[at < 0 ? former.indexOf(focused) : at])?.row ?? element.lastChild);
    }
    former = names;
  }

  const adding = !place.rule.fields || place.rule.isOpen ? adder("New field", "Add field", "field", place, {
    edit: () => ({ value: firstOf(now.rule.element ?? {}) }),
    isThere: (name) => controls.has(name),
    find: (name) => controls.get(name)?.element,
  }) : null;
  if (adding) element.append(adding.element);
  show();
  return {
    element,
    isDirty: () => Boolean(adding?.isDirty()) || [...controls.values()].some((control) => control.isDirty()),
    update(next) {
      now = { ...next };
      adding?.update(next);
      show();
    },
  };
}

/** Has the names that somebody types into stay where they were, until that is settled. */
function keepDrafts(names, former, isDraft) {
  former.forEach((name, at) => {
    if (!names.includes(name) && isDraft(name)) names.splice(at, 0, name);
  });
}

/** Records: tables with a name each. They can be added, renamed and removed. Of many, those near the screen are made. */
export function records(place) {
  let now = place;
  const cards = new WeakMap();
  const body = el("div", { class: "records", role: "group", "aria-labelledby": place.name });
  const element = el("div", { class: "records-box" }, el("div", {}, body));
  const list = new LongList(body, {
    height: 240, whole: 50,
    build: ({ key }, former) => {
      const card = cards.get(former) ?? makeCard(key);
      cards.set(card.element, card);
      card.update();
      return card.element;
    },
    isKept: (one) => cards.get(one).isDirty(),
  });
  const cardOf = (name) => list.reveal((item) => item.key === name);

  const recordPlace = (name) => ({
    ...now, path: [...now.path, name], ...shownWithin(now, name), kind: "table", node: memberNode(now.node, name),
    rule: { ...now.rule, choices: null }, label: `Fields of ${name}`, name: undefined,
  });

  function show() {
    const names = namesIn(now.value, now.own).filter((name) => isTable(shownWithin(now, name).value));
    const drafts = new Set(list.elements().map((one) => cards.get(one)).filter((card) => card.isDirty()).map((card) => card.name));
    if (drafts.size > 0) keepDrafts(names, list.items.map(({ key }) => key), (name) => drafts.has(name));
    const focused = document.activeElement?.closest?.(".record");
    const at = list.items.findIndex(({ key }) => body.contains(focused) && key === focused.getAttribute("aria-label"));
    list.set(names.map((key) => ({ key })), { keepsPlace: true });
    // The record that had the focus is gone: the next one has its place.
    if (at >= 0 && !element.contains(document.activeElement)) focusField(cardOf(names[Math.min(at, names.length - 1)]) ?? element.lastChild);
  }

  function makeCard(name) {
    const control = table(recordPlace(name));
    const title = el("h4", { class: "record-name" }, name);
    let isRenaming = false;
    const rename = () => {
      const input = el("input", { class: "field", type: "text", value: name, "aria-label": `New name of ${name}`, spellcheck: "false", autocomplete: "off" });
      let { file } = now;
      const back = () => {
        isRenaming = false;
        form.replaceWith(title);
        menu.focus();
        now.checked();
        now.settled();
      };
      input.addEventListener("input", () => {
        isRenaming = input.value !== name;
        input.toggleAttribute("data-draft", isRenaming);
      });
      const contest = () => {
        now.meanwhile(undefined, { field: input, file, store: submitted, giveUp: back, isNew: true });
        ({ file } = now);
      };
      const submitted = once(async () => {
        const to = input.value.trim();
        if (to === "" || to === name) return void back();
        if (now.file !== file) return void contest();
        if (!await now.rename([...now.path, name], [...now.path, to], { field: input, changed: () => model.doc.file !== file && contest() })) return;
        isRenaming = false;
        // The card comes back if this is taken back.
        form.replaceWith(title);
        now.settled();
        announce(`Renamed ${name} to ${to}.`);
        cardOf(to)?.querySelector("button")?.focus();
      });
      const form = lineForm(submitted, { onkeydown: (event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        back();
      } }, input, el("button", { type: "submit" }, "Rename"), button("Cancel", back, { class: "quiet" }));
      title.replaceWith(form);
      input.focus();
      input.select();
    };
    const menu = menuButton(`Menu of ${name}`, () => [
      ["Rename", rename, `Rename ${name}`], ["Remove", () => now.remove([...now.path, name]), `Remove ${name}`],
    ]);
    return {
      name, control, isDirty: () => isRenaming || control.isDirty(), element: el("section", { class: "record", "aria-label": name }, el("div", { class: "record-head" }, title, menu), control.element),
      update() {
        control.update(recordPlace(name));
        menu.disabled = Boolean(now.disabled);
        menu.hidden = member(now.own, name) === undefined;
      },
    };
  }

  const adding = adder("New record", "Add record", "record", place, {
    edit: () => {
      const needed = Object.entries(now.rule.fields ?? {}).filter(([, rule]) => rule.isRequired);
      return { value: Object.fromEntries(needed.map(([field, rule]) => [field, firstOf(rule)])) };
    },
    isThere: (name) => shownWithin(now, name).value !== undefined,
    find: (name) => cardOf(name)?.querySelector(".members"),
  });
  element.append(adding.element);
  show();
  return {
    element,
    isDirty: () => adding.isDirty() || [...body.children].some((one) => cards.get(one)?.isDirty()),
    update(next) {
      now = next;
      adding.update(next);
      show();
    },
  };
}

/** A value to begin with, of which the command makes the type that the schema says. */
function firstOf(rule) {
  const now = new Date().toISOString();
  const plain = {
    boolean: false, integer: 0, float: 0, float32: 0, duration: "0s", array: [], table: {}, records: {},
    url: "https://example.org/", uuid: crypto.randomUUID(), decimal: "0", character: "a", "time-zone": "UTC",
    "local-date": now.slice(0, 10), "local-time": now.slice(11, 19), "local-date-time": now.slice(0, 19), "offset-date-time": now,
  };
  return rule.default ?? rule.choices?.[0] ?? rule.example ?? rule.minimum ?? plain[rule.type] ?? "";
}

/**
 * A field for the name of something new: `what`. A name that is refused stays; what was added gets the focus if the name has
 * it. What has the name already is not replaced.
 */
function adder(label, title, what, place, { edit, isThere, find }) {
  let now = place;
  /** The file that the name is meant for. */
  let meant = place.file;
  const input = el("input", { class: "field", type: "text", "aria-label": label, placeholder: "name", spellcheck: "false", autocomplete: "off", disabled: place.disabled });
  const set = asDraft(input, () => {
    now.checked();
    now.settled();
  });
  const submit = el("button", { type: "submit", disabled: place.disabled }, title);
  const contest = (file = meant) => now.meanwhile(undefined, { field: input, file, isNew: true, store: submitted, giveUp: () => set("") });
  const submitted = once(async () => {
    const typed = input.value;
    const name = typed.trim();
    if (name === "") return;
    const { file } = now;
    const refuse = () => now.refuse(`There is a ${what} '${name}' already. Choose another name.`, input);
    if (isThere(name)) return void refuse();
    const isAdded = await now.store([...now.path, name], edit(), {
      field: input, file, isAsShown: (present) => present.value === undefined,
      changed: () => (model.doc.file === file ? refuse() : contest(file)),
    });
    if (!isAdded) return;
    if (input.value === typed) set("");
    const added = find(name);
    if (added && form.contains(document.activeElement)) focusField(added);
  });
  const form = lineForm(submitted, { class: "with-unit adder" }, input, submit);
  const isDirty = () => input.value !== "";
  return { element: form, isDirty, update(next) {
    const isElsewhere = next.file !== now.file && isDirty();
    if (!isDirty()) meant = next.file;
    now = next;
    submit.disabled = Boolean(next.disabled);
    input.disabled = submit.disabled && !isDirty();
    if (isElsewhere) contest();
  } };
}

const focusField = (within) => focusFirst(within, ":is(input, select, textarea, button):enabled");
