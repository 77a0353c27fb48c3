// Which of the app's files is shown and edited: the one that the app writes, another profile, a declared file, or one of
// administrators.

import { currentLayer, useLayer } from "./api.js";
import { $, announce, button, el, keepFocus, shortPath } from "./dom.js";
import { model, refresh } from "./model.js";
import { mayLeave } from "./drafts.js";
import * as file from "./file.js";
import * as notices from "./notices.js";

const box = $("layer-box");
const select = $("layer");
const banner = $("layer-banner");

/** The layers as the app has them. A document of one layer knows only those below it. */
let known = [];
let signature = "";

const own = () => (model.profile ? `Profile ${model.profile}` : "Your file");

/** What can be chosen: groups of names for the server, with names for people. */
function choices(doc) {
  if (currentLayer() === "") known = doc.layers ?? [];
  const named = (layer, form) => known.filter((one) => one.layer === layer).map((one) => form.exec(one.file)?.[1]).filter(Boolean);
  const mine = [["", own()]];
  if (model.profile || currentLayer() === "user") mine.push(["user", "Your file, below the profile"]);
  for (const name of doc.profiles ?? []) {
    if (name !== model.profile || currentLayer() === `profile:${name}`) mine.push([`profile:${name}`, `Profile ${name}`]);
  }
  // A file that is named by its path is the only one.
  if (doc.target.includes("/")) return [["Yours", mine]];
  const declared = [
    ...named("declared", /\/settings\.d\/([^/@][^/]*)\.toml$/).map((name) => [`drop-in:${name}`, `Declared file ${name}`]),
    ["host", "Declared for this host"], ["os", "Declared for this system"], ["arch", "Declared for this processor"],
  ];
  const administrators = [
    ...(known.some((one) => one.layer === "system" && one.file?.endsWith("/settings.toml")) ? [["system", "Administrators"]] : []),
    ...named("system", /\/settings\.d\/([^/@][^/]*)\.toml$/).map((name) => [`system:${name}`, `Administrators, ${name}`]),
  ];
  return [["Yours", mine], ["Declared", declared], ["For all users", administrators]].filter(([, list]) => list.length > 0);
}

/** Shows which file it is. */
export function show() {
  const { doc } = model;
  const layer = currentLayer();
  const groups = choices(doc);
  // A file that only its name leads to, such as after a reload, is there as well.
  if (!groups.some(([, list]) => list.some(([value]) => value === layer))) groups.push(["Other", [[layer, layer.replace(":", " ")]]]);
  // A list that is open, and a button with the focus, stay as they are if nothing is new.
  const next = JSON.stringify([groups, layer, doc.file, model.profile]);
  if (next === signature) return;
  signature = next;
  select.replaceChildren(...groups.map(([label, list]) => el("optgroup", { label }, list.map(([value, text]) => el("option", { value }, text)))));
  select.value = layer;
  box.hidden = select.options.length === 1;
  box.classList.toggle("elsewhere", layer !== "");
  keepFocus(banner, () => showBanner(layer, doc));
}

function showBanner(layer, doc) {
  banner.hidden = layer === "";
  if (layer === "") return void banner.replaceChildren();
  const name = select.selectedOptions[0].textContent;
  banner.replaceChildren(
    el("p", {}, el("strong", {}, `${name}: `), el("code", { title: doc.file }, shortPath(doc.file)),
      " is what you edit here. The values are those of this file and of the layers below it."),
    button(`Back to ${own().replace(/^(Your|Profile)/, (word) => word.toLowerCase())}`, () => choose(""), { class: "small" }));
}

async function choose(layer) {
  // A draft of another file is waiting for its own one, perhaps this.
  if (!file.isElsewhere() && !await mayLeave()) {
    select.value = currentLayer();
    return;
  }
  const former = currentLayer();
  useLayer(layer);
  const isShown = await notices.attempt(async () => {
    await refresh();
    announce(`You edit ${model.doc.file}.`);
  });
  if (isShown) return;
  useLayer(former);
  select.value = former;
}

export function begin() {
  select.addEventListener("change", () => choose(select.value));
  // Nobody follows a file that has no effect on the app now, such as another profile's; nor one app too many.
  window.addEventListener("focus", () => {
    if (model.doc && (currentLayer() !== "" || model.connection === "waiting")) refresh().catch(() => {});
  });
}
