// The page without an app: all apps, and a search through all of them.

import { api, currentApp, Refusal } from "./api.js";
import { el, shortPath } from "./dom.js";
import { shortValue } from "./model.js";

/** Counts what was asked for: of two answers, that of the last question is shown. */
let asked = 0;

/** Shows the apps in `root`. `open(app, key)` opens one. */
export async function showApps(root, count, open) {
  const number = (asked += 1);
  count.textContent = "";
  let apps;
  let refusal = "";
  try {
    apps = await api.apps();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refusal = error.message;
  }
  // One was opened, or searched for, meanwhile.
  if (number !== asked || currentApp() !== "") return;
  if (refusal !== "") return void root.replaceChildren(el("p", { class: "empty", role: "alert" }, refusal));
  if (apps.length === 0) {
    count.textContent = "";
    root.replaceChildren(el("div", { class: "empty" }, el("h2", {}, "No app has settings yet"),
      el("p", {}, "An app is listed here once it has a file of settings or a schema. 'settings-cli set --create org.example.app KEY VALUE' makes a file.")));
    return;
  }
  count.textContent = apps.length === 1 ? "One app has settings" : `${apps.length} apps have settings`;
  root.replaceChildren(el("ul", { class: "apps" }, apps.map((app) => el("li", {},
    el("button", { type: "button", class: "app", onclick: () => open(app.app) },
      el("span", { class: "app-id" }, app.app), el("span", { class: "app-file" }, shortPath(app.file ?? app.schema ?? "")))))));
}

/** Shows what `settings-cli find` finds. */
export async function findInApps(root, count, words, open) {
  const number = (asked += 1);
  if (words.trim() === "") return showApps(root, count, open);
  let found;
  let refusal = "";
  try {
    found = await api.find(words);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    [found, refusal] = [[], error.message];
  }
  if (number !== asked || currentApp() !== "") return undefined;
  if (refusal !== "") {
    count.textContent = "";
    root.replaceChildren(el("p", { class: "empty", role: "alert" }, refusal));
    return undefined;
  }
  count.textContent = found.length === 0 ? "Nothing found" : `${found.length} found`;
  root.replaceChildren(el("ul", { class: "apps" }, found.slice(0, 200).map((hit) => el("li", {},
    el("button", { type: "button", class: "app", onclick: () => open(hit.app, hit.key) },
      el("span", { class: "app-id" }, `${hit.app} `, el("code", {}, hit.key)),
      el("span", { class: "app-file" }, `${shortValue(hit.value)}${hit.description ? ` · ${hit.description}` : ""}`))))));
  return undefined;
}
