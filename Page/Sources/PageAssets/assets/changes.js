// What the stream of changes says. An event is a hint: the document is read again, and then it is clear what is new.

import { currentApp, currentToken, isOwn, parse, writesDone } from "./api.js";
import { announce } from "./dom.js";
import { follow } from "./events.js";
import { authorText, emit, endTrial, model, nameOf, refresh, shortValue, startTrial, titleOf } from "./model.js";
import { updateRows } from "./settings.js";
import * as notices from "./notices.js";

/** Takes an event of an app's stream: its name, and JSON. A trial goes on where another app is shown. */
export async function hear(name, text, app) {
  const data = parse(text);
  if (name === "trial") return void hearTrial(data, app);
  if (app !== currentApp()) return;
  if (data?.profile !== undefined) model.profile = data.profile;
  switch (name) {
    case "open": case "closed": case "waiting": case "foreign":
      await hearConnection(name);
      break;
    case "problem":
      // Reading says more than what has no words for it.
      await refresh().then(() => emit("unread", data?.message ?? null), () => {});
      break;
    case "state":
      // From here on no change is missed. One may have been made since the document was read, in any file.
      await refresh().catch(() => {});
      document.documentElement.dataset.live = currentApp();
      break;
    case "change":
      await hearChange(data);
  }
}

async function hearConnection(connection) {
  if (model.connection === connection) return;
  // It may be another tab whose token is of an earlier start.
  if (connection === "foreign" && await refresh().then(() => true, () => false)) return void follow(currentApp(), currentToken(), hear);
  model.connection = connection;
  emit("connection");
  if (/closed|foreign/.test(connection)) return;
  await refresh().catch(() => {});
  if (connection === "waiting") document.documentElement.dataset.live = currentApp();
}

function hearTrial(data, app) {
  if (data?.state === "started") startTrial(data.id, data.seconds, data.keys, app);
  else if (data?.id) {
    endTrial(data.id);
    if (data.state === "undone") announce("The change was taken back.");
    if (data.state === "failed") notices.fail(data.message ?? "The change could not be taken back.");
  }
}

async function hearChange(data) {
  // Only then is it clear whose change it is.
  await writesDone();
  // What the page has just read itself need not be read again.
  const isKnown = data?.file === model.doc?.file && data?.digest === model.doc?.digest && data?.text !== false && !data?.layers && !data?.schema;
  if (!isKnown) await refresh().catch(() => {});
  showChanges(data?.changes ?? [], data?.entry, data?.file);
}

/** Has the rows of what an app reads differently say whose change it is, and says it, where its own file is shown. */
function showChanges(changes, entry, file) {
  const isMine = isOwn(entry, file);
  const change = { by: authorText(entry, file), isMine, file, time: entry?.time ?? new Date().toISOString() };
  const names = new Set(changes.map(nameOf));
  for (const name of names) model.changes.set(name, change);
  if (file !== model.doc?.file || changes.length === 0) return;
  updateRows((row) => {
    if (names.has(row.name) && !isMine) row.flash();
  });
  if (isMine) return;
  const key = model.keys.get(nameOf(changes[0]));
  const what = changes.length > 1 ? `${changes.length} settings` : key ? titleOf(key) : changes[0].key;
  const value = changes.length === 1 && key && !key.isSecret ? ` to ${shortValue(key.value)}` : "";
  announce(`${change.by} changed ${what}${value}.`);
}
