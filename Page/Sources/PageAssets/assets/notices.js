// What concerns the whole app: a file that does not parse, a migration that waits, a trial that runs, mistakes that no
// row shows, and a connection that is lost.

import { api, inTurn, saidBy } from "./api.js";
import { announce, button, el, icon, keepFocus, once } from "./dom.js";
import { diffView } from "./diff.js";
import { fixesOf } from "./fixes.js";
import { emit, endTrial, model, nameOf, on, refresh, titleOf } from "./model.js";
import { dotted, partsOf } from "./toml.js";

/** The trial, which stays in sight wherever somebody scrolls: it ends by itself. */
export const trialBox = el("div", {});
const connectionBox = el("div", {});
const documentBox = el("div", {});
const unreadBox = el("div", { role: "alert" });
export const element = el("div", { class: "notices" }, connectionBox, unreadBox, documentBox);
/** What went wrong, beside the trial. */
export const failure = el("div", { role: "alert" });

/** Takes away what was said of an app that is no longer shown. */
export const clear = () => {
  for (const box of [unreadBox, failure, documentBox]) box.replaceChildren();
};

const notice = (kind, title, ...content) =>
  el("section", { class: `notice ${kind}` }, icon(kind === "trial" ? "clock" : "warning"), el("div", {}, el("h2", {}, title), ...content));

/** Says what went wrong, until it is dismissed, or somebody goes on with the pointer. */
export function fail(text) {
  failure.replaceChildren(notice("error", text, el("div", { class: "notice-buttons" }, button("Dismiss", () => keepFocus(failure, () => failure.replaceChildren()), { class: "small" }))));
}

document.addEventListener("pointerdown", (event) => {
  if (!failure.contains(event.target)) failure.replaceChildren();
});

/** Does something, and says that it was done, or else what went wrong. Returns whether it was done. */
export async function attempt(action, said) {
  try {
    await action();
    if (said) announce(said);
    return true;
  } catch (error) {
    fail(saidBy(error));
    return false;
  }
}

/** Reads the document again, if there is one: the page without an app has none. */
const reread = () => model.doc && refresh();

const findingItem = (finding) => el("li", {}, finding.message, " ",
  finding.file !== model.doc.file && el("code", { class: "place" }, `${finding.file}${finding.line ? `:${finding.line}` : ""}`), fixesOf(finding, fail));

export function show() {
  const { doc } = model;
  const parts = [];
  if (doc.problem) {
    parts.push(notice("error", "The file does not parse, so its settings cannot be changed here.",
      el("p", {}, doc.isOutdated ? "The values below are the last ones that could be read." : "The values below are without this file."),
      el("p", {}, `Line ${doc.problem.line}, column ${doc.problem.column}: ${doc.problem.message}`),
      el("div", { class: "notice-buttons" },
        button("Mend it in the text", () => emit("place", { line: doc.problem.line }), { class: "primary small" }),
        button("Restore the last text that could be read", () => attempt(() => inTurn(api.recover).then(reread), "The last text that could be read is restored."), { class: "small" }))));
  }
  if (doc.migration?.pending?.length > 0) {
    const steps = doc.migration.pending;
    // In the developer's words, so below what people see.
    const names = el("ul", { class: "quiet-text" }, steps.map((step) => el("li", {}, `Version ${step.version}: ${step.name}`)));
    parts.push(notice("info", `The file is of an older release. ${steps.length === 1 ? "One change waits" : `${steps.length} changes wait`} for it.`,
      doc.migration.problem && el("p", { class: "error-note" }, doc.migration.problem),
      doc.migration.diff && el("details", {}, el("summary", {}, "What changes in the file"),
        el("p", { class: "quiet-text" }, "The values below are shown as they will be. The first change of a value makes these as well."), diffView(doc.migration.diff, "What the migration changes"), names),
      !doc.migration.diff && names,
      el("div", { class: "notice-buttons" }, button("Migrate now", () => attempt(() => inTurn(api.migrate).then(reread), "The file is migrated."), { class: "primary small" }))));
  }
  // Those of the file itself are said above.
  const broken = doc.findings.filter((finding) => /^(unparsable|unreadable)$/.test(finding.kind) && finding.file !== doc.file);
  if (broken.length > 0) {
    parts.push(notice("error", broken.length === 1 ? "Another file of this app cannot be read." : `${broken.length} other files of this app cannot be read.`,
      el("p", {}, `The values below are without ${broken.length === 1 ? "it" : "them"}. An app that is running goes on with those that it has read before.`),
      el("ul", { class: "findings" }, broken.map(findingItem))));
  }
  // The worst first.
  const rank = ({ severity }) => ["warning", "error"].indexOf(severity);
  const others = doc.findings.toSorted((a, b) => rank(b) - rank(a)).filter((finding) => !nameOf(finding) && !broken.includes(finding) && !(doc.problem && finding.kind === "unparsable"));
  if (others.length > 0) {
    parts.push(notice("warning", others.length === 1 ? "One thing to look at" : `${others.length} things to look at`,
      el("ul", { class: "findings" }, others.slice(0, 20).map(findingItem)),
      others.length > 20 && el("p", {}, `… and ${others.length - 20} more`)));
  }
  keepFocus(documentBox, () => {
    const isOpen = documentBox.querySelector("details")?.open;
    documentBox.replaceChildren(...parts);
    documentBox.querySelector("details")?.toggleAttribute("open", Boolean(isOpen));
  });
}

// MARK: The trial

let clock = 0;

const keyName = (key) => {
  const known = model.keys.get(dotted(partsOf(key)));
  return known ? titleOf(known) : partsOf(key).join(".");
};

function showTrial() {
  clearInterval(clock);
  const { trial } = model;
  if (!trial) return void keepFocus(trialBox, () => trialBox.replaceChildren());
  const seconds = el("span", { class: "countdown" });
  const tick = () => {
    const left = Math.max(0, Math.ceil((trial.until - Date.now()) / 1000));
    seconds.textContent = `${left} s`;
    // The end of one is heard where its app is shown, unless the connection was lost meanwhile.
    if (left === 0 && Date.now() > trial.until + 2000) endTrial(trial.id);
  };
  const end = once((keeps) => attempt(async () => {
    await (keeps ? api.keepTrial(trial) : api.endTrial(trial)).catch((error) => {
      // It is over.
      if (error.http === 404) endTrial(trial.id);
      throw error;
    });
    endTrial(trial.id);
    await reread();
  }, keeps ? "The change is kept." : "The change is taken back."));
  trialBox.replaceChildren(notice("trial", "You are trying a change.",
    el("p", {}, `${trial.keys.map(keyName).join(", ")}: back in `, seconds, " unless you keep it."),
    el("div", { class: "notice-buttons" }, button("Keep it", () => end(true), { class: "primary small" }), button("Take it back now", () => end(false), { class: "small" }))));
  tick();
  clock = setInterval(tick, 1000);
  announce("The change is being tried for 15 seconds.");
}

on("trial", showTrial);
on("unread", (message) => {
  const [first, ...rest] = (message ?? "").split("\n");
  unreadBox.replaceChildren(...(message ? [notice("error", "The settings cannot be read. What you see may be out of date.",
    el("p", {}, first), rest.length > 0 && el("pre", { class: "diff" }, rest.join("\n")))] : []));
});
on("connection", () => {
  connectionBox.replaceChildren(...{
    open: [],
    closed: [notice("error", "The server of this page does not answer.", el("p", {}, "What you see may be out of date. Run 'settings-cli page' to start it again."))],
    foreign: [notice("error", "The server of this page was started again.", el("p", {}, "Open the address that it has printed. This tab then goes on, with what you typed."))],
    waiting: [notice("info", "This browser shows more apps than it can follow at a time.",
      el("p", {}, "What others change here shows when you come back to this tab. Close the tabs of other apps to see it at once."))],
  }[model.connection]);
});
