// A long list of which only what is near the screen is in the document. What is left out is a space of its height, which
// is measured if it was ever shown, and else guessed.

import { el } from "./dom.js";

/** How far beyond the screen items are made, in pixels. */
const near = 600;
/** How many elements are kept for when their items come back. */
const kept = 300;

/** All lists, which a screen that moves concerns: those that are no longer used go away. */
const lists = new Set();
const moved = (isResized) => {
  for (const one of lists) {
    const list = one.deref();
    if (list) list.moved(isResized);
    else lists.delete(one);
  }
};
// A list scrolls by itself on a wide screen, and with the page on a narrow one.
document.addEventListener("scroll", () => moved(false), { passive: true, capture: true });
window.addEventListener("resize", () => moved(true), { passive: true });

export class LongList {
  #waits = false;
  #timer = 0;
  #elements = new Map();
  #heights = new Map();
  #shown = [];
  #screen = window.innerHeight;
  #average;

  /**
   * - build(item, former): the element of an item; `former` is the one that it had before.
   * - isKept(element): whether the element stays in the document although it is far away, as what is in use does anyway.
   * - height: that of an item, roughly, until some were measured.
   * - whole: up to how many items are all in the document. More of them scroll in the box around the root.
   *
   * An item has a `key`, or else is a heading of the list.
   */
  constructor(root, { build, isKept = () => false, height = 104, whole = 0 }) {
    const isInUse = (element) => element.contains(document.activeElement) || element.querySelector("[data-draft]") !== null;
    Object.assign(this, { root, build, whole, items: [], isKept: (element) => isInUse(element) || isKept(element) });
    this.#average = height;
    lists.add(new WeakRef(this));
  }

  /** The screen shows another part of the document, or has another size. */
  moved(isResized) {
    if (isResized) {
      this.#screen = window.innerHeight;
      this.#heights.clear();
    }
    if (this.items.length > this.whole) this.#later();
  }

  /**
   * Shows other items, from the first one on, or those near where the list is. What is on the screen is there when this
   * returns; nothing is measured, since that would cost a layout for each key press in the search.
   */
  set(items, { keepsPlace = false } = {}) {
    const held = new Set();
    this.each((item, element) => this.isKept(element) && held.add(idOf(item)));
    this.items = items;
    this.#shown = held.size === 0 ? [] : [...items.keys()].filter((at) => held.has(idOf(items[at])));
    for (const at of this.#shown) this.#element(items[at]);
    if (this.whole > 0) this.root.parentNode.classList.toggle("long", items.length > this.whole);
    // Where it is in the document is known once it is there.
    if (!this.root.isConnected) this.moved(false);
    if (keepsPlace) return void this.#fit();
    let end = 0;
    for (let top = 0; end < items.length && top < this.#screen; end += 1) top += this.#height(end);
    this.#render(0, end);
    // What was guessed is measured when the frame has its layout, which costs nothing more. The rest of what is near can
    // wait until nobody types.
    requestAnimationFrame(() => this.#fit(0));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#later(), 400);
  }

  /** Forgets what it has shown. */
  reset() {
    clearTimeout(this.#timer);
    this.items = [];
    this.#shown = [];
    this.#elements.clear();
    this.#heights.clear();
    this.root.replaceChildren();
  }

  /** Brings an item into the document. Returns its element, or undefined if the list does not have it. */
  reveal(isIt) {
    const at = this.items.findIndex(isIt);
    if (at < 0) return undefined;
    if (!this.#shown.includes(at)) this.#place([...this.#shown, at].sort((a, b) => a - b));
    return this.#elements.get(idOf(this.items[at]));
  }

  /** The elements that are known, also those that are not in the document. */
  elements() {
    return [...this.#elements.values()];
  }

  /** Calls `f` with each item that is in the document. */
  each(f) {
    for (const at of this.#shown) f(this.items[at], this.#elements.get(idOf(this.items[at])));
  }

  #height(at) {
    const item = this.items[at];
    return this.#heights.get(idOf(item)) ?? (item.key ? this.#average : 84);
  }

  #later() {
    if (this.#waits) return;
    this.#waits = true;
    requestAnimationFrame(() => {
      this.#waits = false;
      this.#fit();
    });
  }

  /** Measures what is shown, and shows what is on the screen now, or nearer to it than `margin`. */
  #fit(margin = near) {
    // The place may belong to something else now.
    if (this.items.length <= this.whole) return void this.#render(0, this.items.length);
    const start = -this.root.getBoundingClientRect().top - margin;
    const end = start + this.#screen + 2 * margin;
    let sum = 0;
    let count = 0;
    this.each((item, element) => {
      const { height } = element.getBoundingClientRect();
      if (height === 0) return;
      this.#heights.set(idOf(item), height);
      if (item.key) (sum += height, count += 1);
    });
    if (count > 3) this.#average = sum / count;
    let first = 0;
    let top = 0;
    const { length } = this.items;
    while (first < length - 1 && top + this.#height(first) < start) (top += this.#height(first), first += 1);
    let last = first;
    while (last < length && top < end) (top += this.#height(last), last += 1);
    if (margin > 0 || !this.#shown.includes(last - 1)) this.#render(first, last);
  }

  /** Shows a part of the list, and what has to stay. */
  #render(first, last) {
    const before = [];
    const after = [];
    for (const at of this.#shown) {
      if (at >= first && at < last) continue;
      if (this.isKept(this.#elements.get(idOf(this.items[at])))) (at < first ? before : after).push(at);
    }
    const part = [];
    for (let at = first; at < last; at += 1) part.push(at);
    this.#place([...before, ...part, ...after]);
  }

  /** Has the elements of these items, and spaces between them, in the document. What is there already is not moved. */
  #place(places) {
    const known = new Set(this.#shown);
    this.#shown = places;
    const nodes = [];
    let from = 0;
    const space = (to) => {
      let height = 0;
      for (let at = from; at < to; at += 1) height += this.#height(at);
      if (height === 0) return;
      const element = el(this.root.tagName === "OL" ? "li" : "div", { class: "space", "aria-hidden": "true" });
      element.style.height = `${height}px`;
      nodes.push(element);
    };
    for (const at of places) {
      space(at);
      nodes.push(known.has(at) ? this.#elements.get(idOf(this.items[at])) : this.#element(this.items[at]));
      from = at + 1;
    }
    space(this.items.length);
    const wanted = new Set(nodes);
    for (const child of [...this.root.children]) if (!wanted.has(child)) child.remove();
    let next = this.root.firstChild;
    for (const node of nodes) {
      if (node === next) next = node.nextSibling;
      else this.root.insertBefore(node, next);
    }
    this.#forget();
  }

  #element(item) {
    const id = idOf(item);
    const element = this.build(item, this.#elements.get(id));
    this.#elements.delete(id);
    this.#elements.set(id, element);
    return element;
  }

  #forget() {
    if (this.#elements.size <= kept) return;
    for (const [id, element] of this.#elements) {
      if (!element.isConnected && !this.isKept(element)) this.#elements.delete(id);
      if (this.#elements.size <= kept) return;
    }
  }
}

const idOf = (item) => item.key ?? `\n${item.group}`;
