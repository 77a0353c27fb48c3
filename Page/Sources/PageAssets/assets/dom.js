// Makes elements. Text is always set as text, so nothing that a schema or a file holds becomes markup.

import { isNone } from "./toml.js";

/** The element of the page with an id. */
export const $ = (id) => document.getElementById(id);

let lastID = 0;

/** A new id for an element that another one refers to. */
export const newID = (prefix = "e") => `${prefix}${++lastID}`;

/**
 * Makes an element: `el("button", { class: "quiet", onclick: f, "aria-label": "Reset" }, "Reset")`.
 * A property that begins with `on` is a listener; `true` is an empty attribute; `false`, `null` and `undefined` are left out.
 */
export function el(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const name in properties) {
    const value = properties[name];
    if (value === false || isNone(value)) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== false && !isNone(child)));
  return element;
}

const paths = {
  lock: "M4.5 7V5a3.5 3.5 0 0 1 7 0v2M3.5 7h9v6.5h-9z",
  reset: "M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3",
  undo: "M6 3 2.5 6.5 6 10M3 6.5h6a4 4 0 0 1 0 7H7",
  redo: "m10 3 3.5 3.5L10 10M13 6.5H7a4 4 0 0 0 0 7h2",
  dots: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  chevron: "m6 4 4 4-4 4",
  up: "m4 10 4-4 4 4",
  down: "m4 6 4 4 4-4",
  remove: "m4 4 8 8M12 4l-8 8",
  grip: "M6 4h.01M6 8h.01M6 12h.01M10 4h.01M10 8h.01M10 12h.01",
  lines: "M3 4h10M3 8h10M3 12h6",
  warning: "M8 2 1.5 13.5h13zM8 6.5v3M8 11.5h.01",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.2l2 1.3",
  key: "M10 9.5A3.5 3.5 0 1 0 7 7.6L2.5 12v1.5H5V12h1.5v-1.5H8z",
};

/** A drawn sign of 16 × 16. It has no name of its own: the control that contains it has one. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", name === "dots" || name === "grip" ? "icon bold" : "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}

/** A button with a sign, and a name for those who do not see it. */
export function iconButton(name, label, onclick, more = {}) {
  return el("button", { type: "button", class: "quiet icon-button", "aria-label": label, title: label, onclick, ...more }, icon(name));
}

/** The menu that was opened last. Until it is closed, it is in the document, behind its button. */
let lastMenu = null;
document.addEventListener("scroll", ({ target }) => {
  // It does not scroll, and would be beside another button.
  if (lastMenu?.isConnected && target.contains(lastMenu)) lastMenu.hidePopover();
}, { passive: true, capture: true });

/** A button with dots that opens a menu. `items()` are the labels with what they do, and with a whole name where one is needed. */
export function menuButton(label, items) {
  const anchor = iconButton("dots", label, () => {
    // The press has closed it, and it is removed after the click. Where its row was moved, the browser has closed it.
    if (lastMenu?.previousSibling === anchor) {
      lastMenu.remove();
      return void anchor.setAttribute("aria-expanded", "false");
    }
    const entries = items().map(([text, action, name]) => el("button", { type: "button", role: "menuitem", "aria-label": name, onclick: () => {
      menu.hidePopover();
      action();
    } }, text));
    const menu = el("div", { class: "menu", role: "menu", popover: "auto", "aria-label": label, onkeydown: (event) => {
      const at = entries.indexOf(document.activeElement);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
      // What is pressed here is for the menu alone.
      event.stopPropagation();
      if (event.key === "Tab") menu.hidePopover();
      if (to === undefined) return;
      event.preventDefault();
      entries.at(to % entries.length).focus();
    } }, entries);
    menu.addEventListener("toggle", (event) => {
      anchor.setAttribute("aria-expanded", String(event.newState === "open"));
      if (event.newState === "closed") menu.remove();
    });
    lastMenu = menu;
    anchor.after(menu);
    menu.showPopover();
    const { bottom, top, right } = anchor.getBoundingClientRect();
    const { width, height } = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(8, right - width)}px`;
    menu.style.top = `${bottom + height > innerHeight ? Math.max(8, top - height) : bottom}px`;
    entries[0].focus();
  }, { "aria-haspopup": "menu", "aria-expanded": "false" });
  return anchor;
}

export const button = (label, onclick, more = {}) => el("button", { type: "button", onclick, ...more }, label);

/** A form in one line, which does something itself in place of being sent. */
export const lineForm = (submit, more, ...content) => el("form", { class: "with-unit", ...more, onsubmit: (event) => {
  event.preventDefault();
  submit();
} }, ...content);

/** Has an action do nothing while it is under way: a double click is one click. */
export function once(action) {
  let isRunning = false;
  return async (...given) => {
    if (isRunning) return undefined;
    isRunning = true;
    try {
      return await action(...given);
    } finally {
      isRunning = false;
    }
  };
}

/** Counts questions. What it returns for one says whether it is still the last: only its answer is shown. */
export function latest() {
  let asked = 0;
  return () => {
    const number = (asked += 1);
    return () => number === asked;
  };
}

/** Opens a dialog, which is removed when it is closed. */
export function openDialog(title, ...content) {
  const dialog = el("dialog", { class: "dialog", "aria-labelledby": "dialog-title", onclose: () => dialog.remove() }, el("h2", { id: "dialog-title" }, title), content.flat());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Asks before something is done that nothing brings back. `content` are texts and elements. `no` leaves it, and so does
 * closing the dialog: false. Each other answer is a label with what it does, whose result is returned.
 */
export function asks(title, content, no, ...answers) {
  return new Promise((done) => {
    const dialog = openDialog(title, [content].flat().map((one) => (typeof one === "string" ? el("p", {}, one) : one)), el("div", { class: "dialog-buttons" },
      [[no, () => false, { class: "quiet", autofocus: true }], ...answers].filter(Boolean).map(([label, answer, more]) => button(label, () => {
        done(answer());
        dialog.close();
      }, more))));
    dialog.addEventListener("close", () => done(false));
  });
}

/**
 * Has the first of what a selector names in a box get the focus; of choices side by side, the one that is chosen. Returns
 * whether there is one.
 */
export function focusFirst(box, selector) {
  const first = box?.querySelector(selector);
  (first?.closest(".segments")?.querySelector(":checked") ?? first)?.focus();
  return Boolean(first);
}

const focusName = (one) => one.dataset.name ?? one.getAttribute("aria-label") ?? one.textContent;

/**
 * Makes the contents of a box again. If what has the focus goes with them, what has its name now gets it, or else the first
 * that can have it, or else what a person goes on with: `rest`, the selected setting.
 */
export function keepFocus(box, makeAgain, rest = null) {
  const name = box.contains(document.activeElement) ? focusName(document.activeElement) : null;
  makeAgain();
  if (name === null || box.contains(document.activeElement)) return;
  const all = [...box.querySelectorAll("button, summary")].filter((one) => !one.disabled && one.checkVisibility());
  const next = all.find((one) => focusName(one) === name) ?? all[0] ?? rest ?? document.querySelector(".row.selected") ?? document.querySelector("#list .row");
  (next ?? $("settings")).focus({ preventScroll: true });
}

/** The key that was pressed; where a keyboard writes other letters than Latin ones, the Latin one at its place. */
export const keyOf = ({ key, code }) => (/^[ -~]|^\p{Script=Latin}/u.test(key) ? key : /^Key([A-Z])$/.exec(code)?.[1] ?? key);

/** Says something to screen readers, once. */
export function announce(text) {
  const region = $("live");
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

/** A time as a person would write it: of today without the date. */
export function timeText(text) {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return String(text);
  const isToday = time.toDateString() === new Date().toDateString();
  return time.toLocaleString(undefined, isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

/** The last part of a path, with as much of its directory as tells it from others. */
export function shortPath(path) {
  if (!path) return "";
  const parts = path.split("/");
  return parts.length <= 3 ? path : `…/${parts.slice(-2).join("/")}`;
}

/**
 * Copies a text, also where the clipboard is not available to the page. Returns whether it was copied. Of a text that is
 * still awaited the clipboard hears at once: some browsers allow it only while they handle a click.
 */
export async function copyText(text) {
  let isCopied = true;
  try {
    if (text instanceof Promise) await navigator.clipboard.write([new ClipboardItem({ "text/plain": text })]);
    else await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", { class: "offscreen", "aria-hidden": "true", value: await text });
    document.body.append(area);
    area.select();
    isCopied = document.execCommand("copy");
    area.remove();
  }
  announce(isCopied ? "Copied." : "The browser did not copy it.");
  return isCopied;
}
