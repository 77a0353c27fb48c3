// One setting: its name, what it is for, its control, what is wrong with it, and where its values are from.

import { formOf, makeControl, makeOf, rangeOf } from "./controls.js";
import { button, el, focusFirst, iconButton, newID, shortPath, timeText } from "./dom.js";
import { details } from "./details.js";
import { edition, found, marked } from "./marks.js";
import { changeOf, isModified, isStored, kindOfKey, model, nodeOf, refresh, rename, ruleOf, shortValue, shownOf, titleOf, tryOut } from "./model.js";
import { badgesOf, notesOf } from "./row-notes.js";
import { RowWrites } from "./row-writes.js";
import { valueText } from "./search.js";
import { dotted, isNone, jsonOf, partsOf } from "./toml.js";

const rows = new WeakMap();

/** The row of an element. */
export const rowOf = (element) => rows.get(element);

export class Row {
  #signature = null;
  #file = null;
  /** The reading that it shows. */
  #doc = null;
  #marks = "";
  /** What the control was made for. */
  #make = "";
  /** Whether it says that there was no answer. */
  #isUnanswered = false;

  constructor(name) {
    this.name = name;
    const id = newID("row");
    this.title = el("h3", { class: "row-title", id });
    this.path = el("code", { class: "row-path" });
    this.badges = el("span", { class: "badges" });
    this.summary = el("p", { class: "row-summary", id: `${id}-summary` });
    this.message = el("div", { class: "row-message", id: `${id}-message`, role: "status" });
    this.notes = el("div", { class: "row-notes", id: `${id}-notes` });
    this.slot = el("div", { class: "row-control" });
    this.hit = el("p", { class: "row-hit", hidden: true });
    this.facts = el("span", { id: `${id}-facts` });
    this.meta = el("p", { class: "row-meta" });
    this.writes = new RowWrites(this);
    const title = titleOf({ key: name });
    this.resetButton = iconButton("reset", `Reset ${title}`, () => this.writes.reset());
    this.more = iconButton("chevron", `Details of ${title}`, () => this.toggle(), {
      class: "quiet icon-button more", title: "Layers, rules and history", "aria-expanded": "false", "aria-controls": `${id}-details`,
    });
    this.details = el("div", { class: "row-details", id: `${id}-details`, hidden: true });
    this.element = el("section", { class: "row", "aria-labelledby": id, tabindex: "-1", "data-key": name },
      el("div", { class: "row-head" }, this.title, this.badges),
      el("div", { class: "row-text" }, this.summary, this.hit, el("div", { class: "row-place" }, this.path, this.facts, this.meta)),
      el("div", { class: "row-side" }, this.slot, this.notes, this.message),
      el("div", { class: "row-tools" }, this.resetButton, this.more), this.details);
    this.id = id;
    rows.set(this.element, this);
    this.update();
  }

  get key() {
    return model.keys.get(this.name);
  }

  // MARK: What is shown

  /** Shows the document's state of the key. */
  update() {
    if (this.key) this.#keepFocus(() => this.#update(this.key));
  }

  #update(key) {
    const change = changeOf(this.name);
    const signature = jsonOf([key, change, model.doc.file]);
    // The server has answered.
    const isAnswered = this.#doc !== model.doc;
    this.#doc = model.doc;
    if (isAnswered && this.#isUnanswered) this.say("");
    if (signature === this.#signature) {
      if (isAnswered && !this.details.hidden && this.shownDetails?.isUnanswered()) this.shownDetails.update();
      this.#showControl(key);
      if (this.#marks !== edition) this.#showTexts(key);
      return;
    }
    this.#signature = signature;
    // What was said of another file does not hold for this one.
    if (this.#file !== model.doc.file && !this.control?.isDirty()) this.say("");
    this.#file = model.doc.file;
    this.#showTexts(key);
    this.badges.replaceChildren(...badgesOf(key));
    this.#showControl(key);
    this.notes.replaceChildren(...notesOf(key, (message) => this.say(message, "error")));
    this.notes.hidden = this.notes.childElementCount === 0;
    this.meta.textContent = change ? `Changed by ${change.by}, ${timeText(change.time)}` : "";
    this.meta.title = this.meta.textContent;
    this.meta.hidden = !change;
    this.resetButton.hidden = !isStored(key);
    this.element.classList.toggle("modified", isModified(key));
    this.element.classList.toggle("is-default", Boolean(key.isDefault) && !shownOf(key).isUnused);
    this.element.classList.toggle("locked", key.isLocked);
    if (!this.details.hidden) this.shownDetails?.update();
  }

  /** Shows name and description, and where the value has what is searched. */
  #showTexts(key) {
    this.#marks = edition;
    this.title.replaceChildren(...marked(titleOf(key)));
    this.path.replaceChildren(...marked(key.key));
    this.summary.replaceChildren(...marked(key.description ?? ""));
    this.summary.hidden = !key.description;
    this.facts.textContent = [rangeOf(key), key.needsRestart && "takes effect when the app starts again"].filter(Boolean).join(" · ");
    const hit = key.isSecret ? null : found(valueText(shownOf(key).value));
    this.hit.hidden = hit === null;
    this.hit.replaceChildren(...(hit === null ? [] : ["Value: ", el("code", {}, marked(hit))]));
  }

  #showControl(key) {
    // Until its last write is made, the control shows what that one will make, and not what an earlier one has made.
    if (this.writes.areUnderWay) return;
    const place = this.#place();
    const made = makeOf(place);
    // What somebody types into stays until that is settled.
    if (this.#make === made || this.control?.isDirty()) {
      this.control.update(place);
      return;
    }
    const hadFocus = this.slot.contains(document.activeElement);
    this.#make = made;
    this.control = makeControl(place);
    this.slot.replaceChildren(this.control.element);
    this.element.classList.toggle("wide", ["records", "table", "list", "toml"].includes(formOf(place)) || this.slot.querySelector("textarea") !== null);
    if (hadFocus) this.focus();
  }

  #place() {
    const { key } = this;
    const path = partsOf(key.key);
    return {
      path, file: model.doc.file, rule: ruleOf(key), kind: kindOfKey(key), ...shownOf(key), isStored: isStored(key), node: nodeOf(key),
      isSecret: key.isSecret, change: changeOf(this.name), disabled: key.isLocked || Boolean(model.doc.problem),
      name: this.id, hint: `${this.id}-summary ${this.id}-facts ${this.id}-notes ${this.id}-message`,
      actions: (at) => this.#actions(at), ...this.#actions(path),
      store: (at, change, options) => this.writes.store(at, change, options),
      remove: (at) => this.writes.remove(at),
      rename: (from, to, options) => this.writes.run(() => rename(dotted(from), dotted(to)), options),
      refuse: (text, field) => this.say(text, "error", field),
      checked: () => {
        this.writes.dropCheck();
        this.say("");
      },
      settled: () => {
        if (this.key?.isGone) refresh().catch(() => {});
        else if (this.key) this.#showControl(this.key);
      },
      meanwhile: (value, { field, file, store, giveUp, isNew = false }) => {
        this.writes.dropCheck();
        const isElsewhere = file !== model.doc.file;
        const isGone = isNew || isNone(value);
        const theirs = key.isSecret ? "another value" : shortValue(value);
        this.say(isElsewhere ? `You edit ${shortPath(model.doc.file)} now${isNew ? "" : `, with ${theirs}`}. Enter stores yours there; Escape gives it up. `
          : isGone ? "Removed meanwhile. Enter stores yours; Escape gives it up. "
          : `Changed meanwhile to ${theirs}. Enter stores yours; Escape takes the new one. `, "warning", field);
        const answer = (label, action) => button(label, () => {
          field?.focus();
          action();
        }, { class: "small" });
        this.message.append(el("span", { class: "fixes" }, answer("Store mine", store), answer(isGone ? "Give up" : "Take theirs", giveUp)));
      },
    };
  }

  /** What can be done with the value at a path. */
  #actions(path) {
    return {
      commit: (change, options) => this.writes.store(path, change, options),
      reset: (options) => this.writes.unset(path, options),
      check: (change, options) => this.writes.checkSoon(path, change, options),
      accepts: (change) => tryOut(path, change).then(() => true, () => false),
    };
  }

  /** Says why something was refused. That there was no answer, or none to this tab, holds until there is one. */
  fail(error, field) {
    this.say(plain(error.message), error.isStored ? "warning" : "error", field);
    this.#isUnanswered = error.http === 0 || error.http === 401;
  }

  /** Says something below the control. What is wrong is wrong with a field, or else with all. */
  say(text, kind = "", field = null) {
    this.#isUnanswered = false;
    this.#keepFocus(() => {
      this.message.className = `row-message ${kind}`;
      this.message.textContent = text;
    });
    for (const one of this.slot.querySelectorAll("input, select, textarea")) {
      if (kind === "error" && (!field || one === field)) one.setAttribute("aria-invalid", "true");
      else one.removeAttribute("aria-invalid");
    }
  }

  /** Does something. If what has the focus goes with it, the row gets it: it is what the person was at. */
  #keepFocus(action) {
    const { activeElement } = document;
    const had = this.element !== activeElement && this.element.contains(activeElement);
    action();
    if (had && (!this.element.contains(document.activeElement) || activeElement.closest("[hidden]"))) this.element.focus({ preventScroll: true });
  }

  /** Shows what has become of all writes. */
  settled() {
    this.element.removeAttribute("aria-busy");
    if (this.key) this.#keepFocus(() => this.#showControl(this.key));
  }

  /** Shows what is stored, in place of what is typed. */
  giveUp() {
    this.control = null;
    this.#make = "";
    this.say("");
    this.#showControl(this.key);
  }

  toggle(open = this.details.hidden) {
    this.details.hidden = !open;
    this.element.toggleAttribute("data-open", open);
    this.more.setAttribute("aria-expanded", String(open));
    if (!open) return;
    this.shownDetails ??= details(this);
    if (this.details.childElementCount === 0) this.details.append(this.shownDetails.element);
    this.shownDetails.update();
  }

  focus() {
    if (!focusFirst(this.slot, ":is(input:not([type=range]), select, textarea):enabled")) this.element.focus();
  }

  /** Shows for a moment that the value has changed. */
  flash() {
    this.element.classList.remove("flash");
    // Reading a size ends the former animation.
    void this.element.offsetWidth;
    this.element.classList.add("flash");
  }
}

/** A message without what is clear in a form, without the line of a batch that is one edit, and with an example for a pattern. */
const plain = (text) => text.replace(/^Line 1: /, "").replace(/ Nothing was written\.?/g, "").replace(/ that matches '.*', such as /, " such as ");
