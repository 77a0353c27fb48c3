// A long list of which only what is near the screen is in the document. Its parts are made and removed in chunks, and a
// chunk that is not there keeps its height.

import { el } from "./dom.js";

const chunkLength = 10;
const near = 500;
const far = 3000;

export class LongList {
  #chunks = [];
  #waits = false;
  #former = new Map();

  /**
   * - build(item, former): the element of an item; `former` is the one that an item with the same `id` had just now.
   * - height(item): about how high it will be.
   */
  constructor(root, { build, height }) {
    this.root = root;
    this.build = build;
    this.height = height;
    const moved = () => this.#later();
    // The list scrolls by itself on a wide screen, and with the page on a narrow one.
    document.addEventListener("scroll", moved, { passive: true, capture: true });
    window.addEventListener("resize", moved, { passive: true });
  }

  /** Shows other items. What is on the screen is there when this returns. */
  set(items) {
    // Asked before anything changes, since an answer after it takes a layout of its own.
    const room = window.innerHeight - Math.max(0, this.root.getBoundingClientRect().top);
    const former = new Map();
    for (const chunk of this.#chunks) {
      if (chunk.isFilled) chunk.items.forEach((item, at) => former.set(item.id, chunk.elements[at]));
    }
    this.#former = former;
    this.items = items;
    this.#chunks = [];
    const parts = [];
    for (let start = 0; start < items.length; start += chunkLength) {
      const element = el("div", { class: "chunk" });
      const chunk = { element, items: items.slice(start, start + chunkLength), isFilled: false, elements: [], height: 0 };
      let height = 0;
      for (const item of chunk.items) height += this.height(item);
      chunk.height = height;
      element.style.minHeight = `${height}px`;
      this.#chunks.push(chunk);
      parts.push(element);
    }
    let top = 0;
    for (const chunk of this.#chunks) {
      if (top > room) break;
      this.#fill(chunk);
      top += chunk.height;
    }
    this.#former = new Map();
    this.root.replaceChildren(...parts);
    this.#later();
  }

  /** Forgets what it has shown. */
  reset() {
    this.items = undefined;
    this.#chunks = [];
    this.root.replaceChildren();
  }

  /** Brings an item into the document. Returns its element, or undefined if the list does not have it. */
  reveal(isIt) {
    for (const chunk of this.#chunks) {
      const at = chunk.items.findIndex(isIt);
      if (at < 0) continue;
      this.#fill(chunk);
      return chunk.elements[at];
    }
    return undefined;
  }

  /** Calls `f` with each item that is in the document. */
  each(f) {
    for (const chunk of this.#chunks) {
      if (chunk.isFilled) chunk.items.forEach((item, at) => f(item, chunk.elements[at]));
    }
  }

  #later() {
    if (this.#waits) return;
    this.#waits = true;
    requestAnimationFrame(() => {
      this.#waits = false;
      this.#fit();
    });
  }

  #fit() {
    const fill = [];
    for (const chunk of this.#chunks) {
      const { top, bottom } = chunk.element.getBoundingClientRect();
      const isNear = bottom > -near && top < window.innerHeight + near;
      if (isNear && !chunk.isFilled) fill.push(chunk);
      else if (chunk.isFilled && (bottom < -far || top > window.innerHeight + far)) {
        // What somebody is typing into stays.
        if (!chunk.element.contains(document.activeElement) && !chunk.element.querySelector("[data-open], [data-draft]")) {
          chunk.element.style.minHeight = `${bottom - top}px`;
          this.#empty(chunk);
        }
      }
    }
    for (const chunk of fill) this.#fill(chunk);
    if (fill.length > 0) this.#later();
  }

  #fill(chunk) {
    if (chunk.isFilled) return;
    chunk.isFilled = true;
    chunk.elements = chunk.items.map((item) => this.build(item, this.#former.get(item.id)));
    chunk.element.replaceChildren(...chunk.elements);
    chunk.element.style.minHeight = "";
  }

  #empty(chunk) {
    chunk.isFilled = false;
    chunk.element.replaceChildren();
    chunk.elements = [];
  }
}
