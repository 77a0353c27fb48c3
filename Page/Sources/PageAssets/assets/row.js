// One setting: its name, what it is for, its control, what is wrong with it, and where its values are from.

import { Refusal } from "./api.js";
import { formOf, makeOf, makeSimple, rangeOf } from "./controls.js";
import { button, el, icon, iconButton, newID, shortPath, timeText } from "./dom.js";
import { details } from "./details.js";
import { list } from "./lists.js";
import { edition, found, marked } from "./marks.js";
import { changeOf, edit, findingsOf, hasValue, isModified, isStored, kindOfKey, layerText, model, nodeOf, refresh, rename, ruleOf, shortValue, shownOf, shownWithin, takeBack, titleOf, tryOut } from "./model.js";
import { valueText } from "./search.js";
import { records, table } from "./tables.js";
import { dotted, memberNode, partsOf } from "./toml.js";
import { same } from "./typed.js";
import { fixesOf } from "./fixes.js";

/** The control for a place of any type. */
export function makeControl(place) {
  switch (formOf(place)) {
    case "records": return records(place, makeControl);
    case "table": return table(place, makeControl);
    case "list": return list(place);
    default: return makeSimple(place);
  }
}

const rows = new WeakMap();

/** The row of an element, which has `update()`, `focus()`, `reset()`, `undo()` and `toggle()`. */
export const rowOf = (element) => rows.get(element);

export class Row {
  #check = 0;
  #checkTimer = 0;
  #signature = null;
  #marks = "";
  #last = Promise.resolve();
  /** How many writes wait or are under way. */
  #writes = 0;
  #isLastStored = true;
  /** What the control was made for. */
  #make = "";

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
    this.resetButton = iconButton("reset", "", () => this.reset());
    this.more = el("button", {
      type: "button", class: "quiet icon-button more", "aria-expanded": "false", "aria-controls": `${id}-details`, onclick: () => this.toggle(),
    }, icon("chevron"));
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

  /** Shows the document's state of the key. Returns whether the value is another one. */
  update() {
    return this.#keepFocus(() => this.#update());
  }

  #update() {
    const { key } = this;
    if (!key) return false;
    const change = changeOf(this.name);
    const signature = JSON.stringify([key, change, model.doc.file], (_, v) => (typeof v === "bigint" ? String(v) : v));
    if (signature === this.#signature) {
      this.#showControl(key);
      if (this.#marks !== edition) this.#showTexts(key);
      return false;
    }
    const isFirst = this.#signature === null;
    this.#signature = signature;
    this.#showTexts(key);
    this.#showBadges(key);
    this.#showControl(key);
    this.#showNotes(key);
    this.meta.textContent = change ? `Changed by ${change.by}, ${timeText(change.time)}` : "";
    this.meta.title = this.meta.textContent;
    this.meta.hidden = !change;
    const title = titleOf(key);
    const label = isStored(key) ? `Reset ${title}` : `${title} has no value in this file`;
    this.resetButton.setAttribute("aria-label", label);
    this.resetButton.title = label;
    this.resetButton.hidden = !isStored(key);
    this.more.setAttribute("aria-label", `Details of ${title}`);
    this.more.title = "Layers, rules and history";
    this.element.classList.toggle("modified", isModified(key));
    this.element.classList.toggle("is-default", Boolean(key.isDefault) && !shownOf(key).isUnused);
    this.element.classList.toggle("locked", key.isLocked);
    if (!this.details.hidden) this.shownDetails?.update();
    return !isFirst;
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

  #showBadges(key) {
    const badges = [];
    if (isModified(key)) badges.push(el("span", { class: "offscreen" }, "modified"));
    if (key.isLocked) badges.push(el("span", { class: "badge locked-badge" }, icon("lock"), "locked"));
    if (key.isSecret) badges.push(el("span", { class: "badge" }, icon("key"), "secret"));
    if (!key.isKnown) badges.push(el("span", { class: "badge warning-badge" }, "unknown key"));
    const from = !hasValue(key) || shownOf(key).isUnused ? "" : key.isDefault ? "default" : key.layer && key.file !== model.doc.file ? layerText(key.layer) : "";
    if (from) badges.push(el("span", { class: "badge plain-badge" }, from));
    this.badges.replaceChildren(...badges);
  }

  #showNotes(key) {
    const notes = [];
    if (key.isLocked) {
      const place = key.lockedBy ? ` in ${shortPath(key.lockedBy)}` : "";
      notes.push(el("p", { class: "note lock-note", title: key.lockedBy }, icon("lock"),
        el("span", {}, `Locked by an administrator${place}${key.lockReason ? ": " : "."}`, key.lockReason && el("q", {}, key.lockReason))));
    }
    const hiding = key.layers.find((layer) => layer.state === "used");
    const own = key.layers.find((layer) => layer.file === model.doc.file && layer.state === "hidden");
    if (own && hiding) notes.push(el("p", { class: "note" }, `Your value ${key.isSecret ? "" : `${shortValue(own.value)} `}is hidden by ${layerText(hiding.layer)}.`));
    const findings = findingsOf(key);
    if (key.problem && !findings.some((finding) => finding.kind === "invalid-value")) {
      notes.push(el("p", { class: "note error-note" }, icon("warning"), el("span", {}, key.problem)));
    }
    for (const finding of findings) {
      notes.push(el("div", { class: `note ${finding.severity}-note` }, icon("warning"), el("span", {}, finding.message), fixesOf(finding, (error) => this.#say(error, "error"))));
    }
    this.notes.replaceChildren(...notes);
    this.notes.hidden = notes.length === 0;
  }

  #showControl(key) {
    // Until its last write is made, the control shows what that one will make, and not what an earlier one has made.
    if (this.#writes > 0) return;
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
      store: (at, change, options) => this.store(at, change, options),
      remove: (at) => this.#run(() => edit([{ unset: at }]), this.#asSeen(at)),
      rename: (from, to, options) => this.#run(() => rename(dotted(from), dotted(to)), options),
      refuse: (text, field) => this.#say(text, "error", field),
      checked: () => {
        this.#dropCheck();
        this.#say("");
      },
      settled: () => {
        if (this.key?.isGone) refresh().catch(() => {});
        else if (this.key) this.#showControl(this.key);
      },
      meanwhile: (value, { field, file, store, giveUp, isNew = false }) => {
        this.#dropCheck();
        const isElsewhere = file !== model.doc.file;
        const isGone = isNew || value === null || value === undefined;
        const theirs = key.isSecret ? "another value" : shortValue(value);
        this.#say(isElsewhere ? `You edit ${shortPath(model.doc.file)} now${isNew ? "" : `, with ${theirs}`}. Enter stores yours there; Escape gives it up. `
          : isGone ? "Removed meanwhile. Enter stores yours; Escape gives it up. "
          : `Changed meanwhile to ${theirs}. Enter stores yours; Escape takes the new one. `, "warning", field);
        this.message.append(el("span", { class: "fixes" }, button("Store mine", store, { class: "small" }),
          button(isGone ? "Give up" : "Take theirs", giveUp, { class: "small" })));
      },
    };
  }

  /** What can be done with the value at a path. */
  #actions(path) {
    return {
      commit: (change, options) => this.store(path, change, options),
      reset: (options) => this.#run(() => edit([{ unset: path }]), { ...options, path }),
      check: (change, options) => this.#checkSoon(path, change, options),
      accepts: (change) => tryOut(path, change).then(() => true, () => false),
    };
  }

  /** Says something below the control. What is wrong is wrong with a field, or else with all. */
  #say(text, kind = "", field = null) {
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
    const result = action();
    if (had && (!this.element.contains(document.activeElement) || activeElement.closest("[hidden]"))) this.element.focus({ preventScroll: true });
    return result;
  }

  // MARK: What is done

  /** Has no answer count any more to what was asked about a text that is no longer there. */
  #dropCheck() {
    clearTimeout(this.#checkTimer);
    return (this.#check += 1);
  }

  /** Asks the command, a moment after the last key press, whether it would accept what is typed. */
  #checkSoon(path, change, { field, isEmptied } = {}) {
    const number = this.#dropCheck();
    if (this.key.isSecret) return;
    this.#checkTimer = setTimeout(async () => {
      let message = "";
      try {
        await tryOut(path, change);
      } catch (error) {
        ({ message } = error);
      }
      if (number !== this.#check) return;
      if (message !== "" && isEmptied) this.#say("Nothing is typed. Enter takes the value out of the file.", "hint");
      else this.#say(plain(message), "error", field);
    }, 120);
  }

  /**
   * Stores a value in the file that it is meant for, if it is still what it was when the person saw it:
   * `isAsShown({ value, own, node })` says whether it is, and `changed()` what the person is told otherwise. What `follows` from
   * the write before it, such as a list, is not stored if that one was refused. `field` is where it was typed.
   */
  async store(path, change, options) {
    return this.#run(() => edit([{ set: path, ...change }]), { ...options, path });
  }

  /** What the file has at a path, which may be nothing any more. */
  #present(path = []) {
    const { key } = this;
    if (!key) return { file: model.doc.file, value: undefined, node: null };
    const inner = path.slice(partsOf(key.key).length);
    return { file: model.doc.file, ...inner.reduce(shownWithin, shownOf(key)), node: inner.reduce(memberNode, nodeOf(key)) };
  }

  /**
   * Makes one write after the other. Returns whether this one was made, as soon as none is left and the control shows what
   * has become of all.
   */
  async #run(write, { path, file = model.doc.file, isAsShown = () => true, tries = 20, follows = false, ...options } = {}) {
    const waits = this.#writes > 0;
    this.#writes += 1;
    const made = this.#last.then(() => {
      if (follows && waits && !this.#isLastStored) return false;
      return this.#attempt(() => this.#writeAsShown(write, file, () => isAsShown(this.#present(path)), tries), options);
    });
    this.#last = made.catch(() => false).then((isMade) => {
      this.#isLastStored = isMade;
      this.#writes -= 1;
      if (this.#writes === 0 && this.key) this.#keepFocus(() => this.#showControl(this.key));
    });
    while (this.#writes > 0) await this.#last;
    return made;
  }

  async #writeAsShown(write, file, isAsShown, tries) {
    const refuse = (why) => { throw new Refusal(412, { status: 9, message: `${why}, so nothing was stored.` }); };
    for (let left = tries - 1; ; left -= 1) {
      if (model.doc.file !== file) refuse(`You edit ${shortPath(model.doc.file)} now`);
      if (!isAsShown()) refuse("It was changed meanwhile");
      const { digest } = model.doc;
      try {
        return await write();
      } catch (error) {
        // The document was read again, and what has changed may be another value.
        if (!(error instanceof Refusal) || error.http !== 412 || left === 0 || model.doc.digest === digest) throw error;
      }
    }
  }

  async #attempt(action, { field, changed } = {}) {
    this.#dropCheck();
    this.element.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => this.#say("Storing…", "hint"), 400);
    try {
      await action();
      clearTimeout(slow);
      this.#say("");
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      clearTimeout(slow);
      this.#say(plain(error.message), "error", field);
      if (error.http === 412) changed?.();
      return false;
    } finally {
      clearTimeout(slow);
      this.element.removeAttribute("aria-busy");
    }
  }

  reset() {
    if (!isStored(this.key)) return undefined;
    return this.#run(() => edit([{ unset: partsOf(this.key.key) }]), this.#asSeen());
  }

  undo(verb = "undo") {
    return this.#run(() => takeBack(verb, this.name), this.#asSeen());
  }

  /** Takes an undo back. */
  redo() {
    return this.undo("redo");
  }

  /** For a write that takes away what another has made of the value meanwhile. Nobody sees whether a secret has changed. */
  #asSeen(path) {
    let seen = null;
    const isAsShown = ({ value = null, own = null }) => same((seen ??= [value, own]), [value, own]);
    return { path, isAsShown, tries: this.key?.isSecret ? 1 : 20 };
  }

  /** Shows what is stored, in place of what is typed. */
  giveUp() {
    this.control = null;
    this.#make = "";
    this.#say("");
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
    const field = this.slot.querySelector("input:not([disabled]):checked, input:not([disabled]):not([type=range]), select:not([disabled]), textarea:not([disabled])");
    (field ?? this.element).focus();
  }

  /** Shows for a moment that the value has changed. */
  flash() {
    this.element.classList.remove("flash");
    // Reading a size ends the former animation.
    void this.element.offsetWidth;
    this.element.classList.add("flash");
  }

  say(text, kind) {
    this.#say(text, kind);
  }
}

/** A message without what is clear in a form, without the line of a batch that is one edit, and with an example for a pattern. */
const plain = (text) => text.replace(/^Line 1: /, "").replace(/ Nothing was written\.?/g, "").replace(/ that matches '.*', such as /, " such as ");
