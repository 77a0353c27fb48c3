// The page: begins, and connects its parts.

import { api, currentApp, currentToken, inTurn, saidBy, session, trying, useApp } from "./api.js";
import { $, announce, el, icon } from "./dom.js";
import { follow } from "./events.js";
import { emit, model, nameOf, on, refresh, takeBack, titleOf } from "./model.js";
import { hear } from "./changes.js";
import { openCopy } from "./copy.js";
import { begin as beginDrafts, mayLeave } from "./drafts.js";
import { begin as beginShortcuts, openHelp } from "./shortcuts.js";
import { showApps } from "./start.js";
import * as file from "./file.js";
import * as files from "./files.js";
import * as notices from "./notices.js";
import * as settings from "./settings.js";
import { stepped } from "./typed.js";

const shell = $("shell");
const searchField = $("search");
const favicon = document.querySelector("link[rel=icon]");
const ownIcon = favicon.href;

// MARK: The document

on("document", (before) => {
  const { doc } = model;
  showName(doc.schema?.name ?? doc.target, doc.target, doc.schema?.icon);
  showProfiles();
  files.show();
  notices.show();
  shell.classList.toggle("outdated", Boolean(doc.problem));
  settings.showDocument(before);
  file.show();
  settings.lightSelected();
});

/** Shows an app's name, and its icon: a character, or an image as an address. */
function showName(name, id = "", sign = null) {
  document.title = id === "" ? name : `${name} – Settings`;
  $("app-name").textContent = name;
  $("app-name").title = id;
  const box = $("app-icon");
  const isImage = sign?.startsWith("data:image/");
  box.hidden = !sign;
  box.replaceChildren(...(isImage ? [el("img", { src: sign, alt: "" })] : [sign ?? ""]));
  const drawn = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><text x="8" y="13" font-size="13" text-anchor="middle">${sign ?? ""}</text></svg>`;
  const next = isImage ? sign : sign ? `data:image/svg+xml,${encodeURIComponent(drawn)}` : ownIcon;
  if (favicon.href !== next) favicon.href = next;
}

function showProfiles() {
  if (!model.doc) return;
  const { profile, doc: { profiles } } = model;
  const names = ["", ...(profiles ?? [])];
  $("profile-box").hidden = names.length === 1;
  // A list that is open stays open if nothing is new.
  if ([...$("profile").options].map((option) => option.value).join("\n") !== names.join("\n")) {
    $("profile").replaceChildren(...names.map((name) => el("option", { value: name }, name || "No profile")));
  }
  if (!profileSteps.isWaiting() && $("profile").value !== (profile ?? "")) $("profile").value = profile ?? "";
}

const profileSteps = stepped($("profile"), { commit: () => useProfile($("profile").value), giveUp: showProfiles });
$("profile").addEventListener("change", profileSteps.chosen);

async function useProfile(value) {
  const app = currentApp();
  if (!await mayLeave()) return void showProfiles();
  // Of two that are chosen one after the other, the last one stays.
  if (app !== currentApp() || value !== $("profile").value) return;
  const isUsed = await notices.attempt(() => inTurn(async () => {
    await api.profile(value || null);
    model.profile = value || null;
    await refresh();
  }), value ? `The profile ${value} is active.` : "No profile is active.");
  if (!isUsed) showProfiles();
}

// MARK: Apps

/** What is there only while an app is shown. */
const parts = ["tools", "more", "all-apps", "file"];

async function open(app, key) {
  if (app !== currentApp()) useApp(app);
  model.doc = null;
  model.changes.clear();
  goOnFrom($("list").contains(document.activeElement));
  settings.clear();
  file.clear();
  showName(app, app);
  for (const id of parts) $(id).hidden = false;
  try {
    await refresh();
    performance.mark("settings");
  } catch (error) {
    const said = saidBy(error);
    if (error.http === 0) return void $("list").replaceChildren(el("p", { class: "empty", role: "alert" }, said));
  }
  follow(app, currentToken(), hear);
  file.redraw();
  if (key) settings.goTo(key);
}

/** Has the focus in what is shown next, if it is in what goes. */
function goOnFrom(hasFocus) {
  if (hasFocus) $("settings").focus({ preventScroll: true });
}

async function showStart() {
  if (!await mayLeave()) return undefined;
  goOnFrom(document.activeElement !== document.body);
  // The former app's stream goes on, since the server ends with its last one.
  model.doc = null;
  settings.clear();
  notices.clear();
  useApp("");
  showName("Settings");
  for (const id of [...parts, "groups", "filters", "empty"]) $(id).hidden = true;
  return showApps(open);
}

// MARK: The beginning

$("notices").append(notices.element);
$("trial").append(notices.failure, notices.trialBox);
$("undo").append(icon("undo"));
$("redo").append(icon("redo"));
$("more").append(icon("dots"));
shell.append(file.pane);

function showFile(shows) {
  shell.classList.toggle("with-file", shows);
  $("toggle-file").setAttribute("aria-pressed", String(shows));
  if (shows) file.redraw();
}
showFile(matchMedia("(min-width: 60rem)").matches);

// The pane has to be there before its own listener goes to the line.
on("place", () => {
  if (!shell.classList.contains("with-file")) showFile(true);
});
on("elsewhere", async (words) => {
  await showStart();
  if (model.doc) return;
  searchField.focus();
  settings.searchFor(words);
});
file.begin(settings.select);
files.begin();
beginDrafts();

searchField.addEventListener("input", () => (model.doc ? settings.showList() : showApps(open, searchField.value)));
$("search-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (model.doc && settings.shown().length > 0) settings.step(0);
});

function setTries(tries) {
  trying.isNext = tries;
  $("try").setAttribute("aria-pressed", String(tries));
  announce(tries ? "The next change comes back after 15 seconds unless you keep it." : "Changes are kept.");
}
on("trying", () => $("try").setAttribute("aria-pressed", String(trying.isNext)));
/** Opens what the bar has no room for, until something in it is chosen, or the focus goes elsewhere. */
function showMore(shows) {
  $("bar").classList.toggle("open", shows);
  $("more").setAttribute("aria-expanded", String(shows));
}
$("more").addEventListener("click", () => showMore(!$("bar").classList.contains("open")));
$("more-tools").addEventListener("click", () => {
  // It has the focus again after a dialog, when what was clicked is behind it.
  $("more").focus();
  showMore(false);
}, { capture: true });
// On a narrow screen all below it moves then, and what moves away under a pointer that is pressed is not clicked.
document.addEventListener("click", (event) => {
  if (!$("bar").contains(event.target)) showMore(false);
});
$("bar").addEventListener("focusout", (event) => {
  const { relatedTarget } = event;
  if (relatedTarget && !$("bar").contains(relatedTarget) && !document.documentElement.matches(":active")) showMore(false);
});

/** Takes back the last change of the file, or the last undo, and shows whose value it was. */
const step = (verb) => model.doc && notices.attempt(async () => {
  // What the click here has left is being stored, and is the last change then.
  const made = await inTurn(() => model.doc && takeBack(verb));
  if (!made) return;
  const { changes } = made;
  const key = model.keys.get(nameOf({ key: changes?.[0]?.key }));
  if (key) settings.select(key.key);
  announce(`${verb === "undo" ? "Undone" : "Redone"}: ${key ? titleOf(key) : changes?.[0]?.key ?? "the text"}.`);
});

async function stop() {
  if (!await mayLeave()) return;
  follow(null);
  await api.end().catch(() => {});
  document.body.replaceChildren(el("main", { class: "main" }, el("p", { class: "empty" }, "The settings page has ended. You can close this tab.")));
}

const tools = {
  undo: () => step("undo"), redo: () => step("redo"), try: () => model.doc && setTries(!trying.isNext), copy: () => model.doc && openCopy(settings.shown()),
  "toggle-file": () => file.pane.hidden || showFile(!shell.classList.contains("with-file")), help: openHelp, "all-apps": showStart, stop,
};
for (const [id, action] of Object.entries(tools)) $(id).addEventListener("click", action);

beginShortcuts([
  ["/", "Search", () => {
    searchField.focus();
    searchField.select();
  }],
  ["j", "Next setting", () => settings.step(1)],
  ["k", "Previous setting", () => settings.step(-1)],
  ["Enter", "Edit the setting", () => settings.current()?.focus()],
  ["e", "Show or hide its layers and history", () => settings.current()?.toggle()],
  // What changes something needs the focus: a click elsewhere selects a setting as well.
  ["r", "Reset it", () => settings.focused()?.writes.reset()],
  ["u", "Undo its last change", () => settings.focused()?.writes.undo()],
  ["U", "Redo what was undone", () => settings.focused()?.writes.undo("redo")],
  ["Ctrl z", "Undo the last change of the file", tools.undo],
  ["Ctrl Z", "Redo it", tools.redo],
  ["t", "Try the next change for 15 seconds", tools.try],
  ["f", "Show or hide the file", tools["toggle-file"]],
  ["l", "Go to its line in the file", () => {
    const span = settings.current()?.key.span;
    if (span) emit("place", { line: span.line });
  }],
  ["c", "Copy settings", tools.copy],
  ["Escape", "Leave the field, or clear the search", (event) => {
    if ($("bar").classList.contains("open")) {
      showMore(false);
      $("more").focus();
    } else if (event.target === searchField) {
      if (searchField.value !== "") settings.searchFor("");
      else settings.step(0);
    } else event.target.closest(".row")?.focus();
  }],
  ["?", "This page", openHelp],
]);

const refusal = await session.refusal;
if (refusal) {
  $("list").replaceChildren(el("p", { class: "empty", role: "alert" }, refusal.message));
} else if (session.app) open(session.app, session.key);
else showStart();
