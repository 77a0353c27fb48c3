// One setting: its name, what it is for, its control, what is wrong with it, and where its values are from.

import { api, Refusal } from "./api.js";
import { makeSimple, plainText, secret } from "./controls.js";
import { button, el, icon, iconButton, newID, shortPath, timeText } from "./dom.js";
import { details } from "./details.js";
import { isPlainList, list } from "./lists.js";
import { edition, found, marked } from "./marks.js";
import { authorText, edit, emit, findingsOf, hasValue, isModified, isStored, kindOfKey, layerText, model, nodeOf, refresh, ruleOf, shortValue, titleOf } from "./model.js";
import { valueText } from "./search.js";
import { records, table } from "./tables.js";
import { dotted, partsOf } from "./toml.js";
import { fixesOf } from "./fixes.js";

/** The control for a place of any type. */
export function makeControl(place) {
  if (place.isSecret) return secret(place);
  if (place.rule.choices?.length > 0) return makeSimple(place);
  switch (place.kind) {
    case "records": return records(place, makeControl);
    case "table": return table(place, makeControl);
    case "array": return isPlainList(place) ? list(place) : plainText(place);
    default: return place.value !== null && typeof place.value === "object" ? plainText(place) : makeSimple(place);
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
    this.meta = el("p", { class: "row-meta" });
    this.resetButton = iconButton("reset", "", () => this.reset());
    this.more = el("button", {
      type: "button", class: "quiet icon-button more", "aria-expanded": "false", "aria-controls": `${id}-details`, onclick: () => this.toggle(),
    }, icon("chevron"));
    this.details = el("div", { class: "row-details", id: `${id}-details`, hidden: true });
    this.element = el("section", { class: "row", "aria-labelledby": id, tabindex: "-1", "data-key": name },
      el("div", { class: "row-head" }, this.title, this.badges),
      el("div", { class: "row-text" }, el("div", { class: "row-place" }, this.path, this.meta), this.summary, this.hit),
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
    const { key } = this;
    if (!key) return false;
    const change = model.changes.get(this.name);
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
    const hit = key.isSecret ? null : found(valueText(key.value));
    this.hit.hidden = hit === null;
    this.hit.replaceChildren(...(hit === null ? [] : ["Value: ", el("code", {}, marked(hit))]));
  }

  #showBadges(key) {
    const badges = [];
    if (isModified(key)) badges.push(el("span", { class: "badge modified-badge" }, "modified"));
    if (key.isLocked) badges.push(el("span", { class: "badge locked-badge" }, icon("lock"), "locked"));
    if (key.isSecret) badges.push(el("span", { class: "badge" }, icon("key"), "secret"));
    if (!key.isKnown) badges.push(el("span", { class: "badge warning-badge" }, "unknown key"));
    if (key.isDefault && hasValue(key)) badges.push(el("span", { class: "badge plain-badge" }, "default"));
    else if (hasValue(key) && key.layer && key.file !== model.doc.file) badges.push(el("span", { class: "badge plain-badge" }, layerText(key.layer)));
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
    if (this.#writes > 0) return undefined;
    const place = this.#place();
    const form = `${place.kind} ${Boolean(place.isSecret)} ${place.kind === "array" ? isPlainList(place) : ""} ${Array.isArray(key.value) || typeof key.value !== "object"}`;
    if (this.form === form) return this.control.update(place);
    this.form = form;
    this.control = makeControl(place);
    this.slot.replaceChildren(this.control.element);
    this.element.classList.toggle("wide", ["records", "table", "array"].includes(place.kind));
    return undefined;
  }

  #place() {
    const { key } = this;
    const path = partsOf(key.key);
    return {
      path, rule: ruleOf(key), kind: kindOfKey(key), value: key.value, node: nodeOf(key), isSecret: key.isSecret, disabled: key.isLocked || Boolean(model.doc.problem),
      name: this.id, hint: `${this.id}-summary ${this.id}-notes ${this.id}-message`,
      commit: (change, options) => this.store(path, change, options),
      check: (change) => this.#checkSoon(path, change),
      checkAt: (at, change) => this.#checkSoon(at, change),
      store: (at, change, options) => this.store(at, change, options),
      remove: (at) => this.#run([{ unset: at }]),
      rename: (from, to) => this.#attempt(() => api.rename(dotted(from), dotted(to))),
      refuse: (text) => this.#say(text, "error"),
      checked: () => {
        this.#dropCheck();
        this.#say("");
      },
      meanwhile: (value) => this.#say(`Changed meanwhile to ${key.isSecret ? "another value" : shortValue(value)}. Enter stores yours; Escape takes the new one.`, "warning"),
    };
  }

  #say(text, kind = "") {
    this.message.className = `row-message ${kind}`;
    this.message.textContent = text;
    for (const field of this.slot.querySelectorAll("input, select, textarea")) {
      if (kind === "error" && (field === document.activeElement || !this.slot.contains(document.activeElement))) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    }
  }

  // MARK: What is done

  /** Has no answer count any more to what was asked about a text that is no longer there. */
  #dropCheck() {
    clearTimeout(this.#checkTimer);
    return (this.#check += 1);
  }

  /** Asks the command, a moment after the last key press, whether it would accept what is typed. */
  #checkSoon(path, change) {
    const number = this.#dropCheck();
    if (this.key.isSecret) return;
    this.#checkTimer = setTimeout(async () => {
      try {
        await edit([{ set: path, ...change }], { dryRun: true });
        if (number === this.#check && this.message.classList.contains("error")) this.#say("");
      } catch (error) {
        if (number === this.#check) this.#say(plain(error.message), "error");
      }
    }, 120);
  }

  /**
   * Stores a value. One that is made from all that is shown, such as a list, is stored only if nobody has changed the file
   * since then: `isAsShown({ value, node })` says whether a value is what it was made from.
   */
  async store(path, change, { isAsShown } = {}) {
    return this.#run([{ set: path, ...change }], isAsShown && (() => isAsShown(this.#present(path))));
  }

  /** What the file has at a path, which may be nothing any more. */
  #present(path) {
    const { key } = this;
    if (!key) return { value: undefined, node: null };
    const inner = path.slice(partsOf(key.key).length);
    if (inner.length === 0) return { value: key.value, node: nodeOf(key) };
    return { value: inner.reduce((table, name) => (table && Object.hasOwn(table, name) ? table[name] : undefined), key.value), node: null };
  }

  /**
   * Makes one write after the other. Returns whether this one was made, as soon as none is left and the control shows what
   * has become of all. What was made from a value that was refused is not stored.
   */
  async #run(edits, isAsShown) {
    const waits = this.#writes > 0;
    this.#writes += 1;
    const write = this.#last.then(() => {
      if (!isAsShown) return this.#attempt(() => edit(edits), edits);
      if (waits && !this.#isLastStored) return false;
      return this.#attempt(() => {
        if (waits && !isAsShown()) throw new Refusal(412, null);
        return edit(edits, { ifUnchanged: model.doc.digest });
      }, edits);
    });
    this.#last = write.catch(() => false).then((isStored) => {
      this.#isLastStored = isStored;
      this.#writes -= 1;
      if (this.#writes === 0 && this.key) this.#showControl(this.key);
    });
    while (this.#writes > 0) await this.#last;
    return write;
  }

  async #attempt(action, edits) {
    this.#dropCheck();
    this.element.setAttribute("aria-busy", "true");
    try {
      await action();
      this.#say("");
      if (!edits) await refresh();
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#say(plain(error.message), "error");
      if (error.http === 412 && edits) {
        this.message.textContent = "The file was changed meanwhile, so nothing was stored. ";
        this.message.append(button("Store mine", () => this.#run(edits), { class: "small" }), " ",
          button("Take theirs", () => {
            this.#say("");
            this.#signature = null;
            this.form = null;
            this.update();
          }, { class: "small" }));
      }
      return false;
    } finally {
      this.element.removeAttribute("aria-busy");
    }
  }

  reset() {
    if (!isStored(this.key)) return undefined;
    return this.#run([{ unset: partsOf(this.key.key) }]);
  }

  undo() {
    return this.#attempt(() => api.undo({ key: this.name }));
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

  select() {
    emit("selected", this.name);
  }

  say(text, kind) {
    this.#say(text, kind);
  }
}

/** A message without what is clear in a form. */
const plain = (text) => text.replace(/ Nothing was written\.?/g, "");

export const author = authorText;
