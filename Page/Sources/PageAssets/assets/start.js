// The page without an app: all apps, and a search through all of them.

import { api, currentApp, saidBy } from "./api.js";
import { $, el, latest, shortPath } from "./dom.js";
import { shortValue } from "./model.js";

const asks = latest();

/** Shows all apps in the list, or what `settings-cli find` finds of some words. `open(app, key)` opens one. */
export async function showApps(open, words = "") {
  const [root, count] = [$("list"), $("count")];
  const isLast = asks();
  const isSearch = words.trim() !== "";
  if (!isSearch) count.textContent = "";
  let refusal = "";
  const found = await (isSearch ? api.find(words) : api.apps()).catch((error) => {
    refusal = saidBy(error);
    return [];
  });
  // One was opened, or searched for, meanwhile.
  if (!isLast() || currentApp() !== "") return;
  const many = found.length;
  count.textContent = refusal !== "" ? "" : isSearch ? (many === 0 ? "Nothing found" : `${many} found`)
    : many === 0 ? "" : many === 1 ? "One app has settings" : `${many} apps have settings`;
  if (refusal !== "") root.replaceChildren(el("p", { class: "empty", role: "alert" }, refusal));
  else if (many === 0 && !isSearch) {
    root.replaceChildren(el("div", { class: "empty" }, el("h2", {}, "No app has settings yet"),
      el("p", {}, "An app is listed here once it has a file of settings or a schema. 'settings-cli set --create org.example.app KEY VALUE' makes a file.")));
  } else {
    root.replaceChildren(el("ul", { class: "apps" }, found.slice(0, isSearch ? 200 : many).map(({ app, key, value, description, file, schema }) => el("li", {},
      el("button", { type: "button", class: "app", onclick: () => open(app, key) }, el("span", { class: "app-id" }, key ? [`${app} `, el("code", {}, key)] : app),
        el("span", { class: "app-file" }, key ? `${shortValue(value)}${description ? ` · ${description}` : ""}` : shortPath(file ?? schema ?? "")))))));
  }
}
