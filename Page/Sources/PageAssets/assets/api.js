// The requests of the page. Each is one that 'curl' can make with the same token.

import { askTabs } from "./events.js";
import { quote } from "./toml.js";

const stored = "settings-page";
let token = "";
let app = "";
/** The file that is shown and edited, in the words of the server; "" for the one that the app writes. */
let layer = "";
/** The file that the address named by its path; "" if it named none. It is no app that the server lists. */
let path = "";

/** A request that the server refused, in the words of settings-cli. */
export class Refusal extends Error {
  constructor(http, message = `The server answered with status ${http}.`, findings = []) {
    // Digests tell a person nothing.
    super(message.replace(/^'.*' has changed: its digest .*$/s, "The file was changed meanwhile, so nothing was stored."));
    Object.assign(this, { http, findings });
  }
}

/** What a refusal says. Other errors are ours, and go on. */
export function saidBy(error) {
  if (!(error instanceof Refusal)) throw error;
  return error.message;
}

/**
 * Takes the code and the app from the address. The code is exchanged for the token, once: what the browser keeps of the
 * address opens nothing. A reload finds the token in the tab's own storage, and a new tab has it from another one.
 */
function begin() {
  const given = new URLSearchParams(location.hash.slice(1));
  let saved = {};
  try {
    saved = JSON.parse(sessionStorage.getItem(stored) ?? "{}");
  } catch {
    // What another page of this origin left there is not ours.
  }
  app = given.get("app") ?? saved.app ?? "";
  layer = given.has("app") ? "" : saved.layer ?? "";
  path = given.has("app") ? (app.includes("/") ? app : "") : saved.path ?? "";
  history.replaceState(null, "", location.pathname);
  return { app, key: given.get("key"), refusal: takeToken(given.get("code"), saved.token) };
}

/** Returns why there is no token; null if there is one. */
async function takeToken(code, saved) {
  let refusal = new Refusal(401, "This address has no code. Run 'settings-cli page' to open the settings.");
  if (code) {
    try {
      ({ token } = await request("POST", "/api/session", { code }));
    } catch (error) {
      refusal = error;
    }
  }
  token ||= saved || await askTabs();
  remember();
  return token === "" ? refusal : null;
}

function remember() {
  sessionStorage.setItem(stored, JSON.stringify({ token, app, layer, path }));
}

export function useApp(id) {
  app = id;
  layer = "";
  remember();
}

export const currentApp = () => app;

/** Has all further requests work on another of the app's files. */
export function useLayer(name) {
  layer = name;
  remember();
}

export const currentLayer = () => layer;

/** What requests need. It is known once `session.refusal` is. */
export const currentToken = () => token;

/** Whether the next change is only tried. */
export const trying = { isNext: false };

/** The entries of histories that this page has made, each with the file whose history it is. */
const ownEntries = new Set();
let file = null;
const entryOf = (number, path) => `${number} ${path}`;

/** Names the file that is shown, which is what is written. */
export function useFile(path) {
  file = path;
}

let lastWrite = Promise.resolve();

/** Makes a write after those before it, whatever has become of them: each has what the one before has made. */
export function inTurn(write) {
  const made = lastWrite.then(write);
  lastWrite = made.catch(() => {});
  return made;
}

/** Waits for the writes of this page that are under way. */
export const writesDone = () => lastWrite;

/** Whether an entry of a file's history was made by this page. */
export const isOwn = (entry, path) => ownEntries.has(entryOf(entry?.number, path));

/** A change that lasts, which cannot be made while the next one is to be tried. */
async function change(method, path, body) {
  if (trying.isNext && !body.dryRun && !body.tryFor) {
    throw new Refusal(409, "Only the value of a setting can be tried. Click 'Try' again to make this change for good.");
  }
  return request(method, path, body);
}

async function request(method, path, body) {
  const written = file;
  count(1);
  try {
    const result = await answerTo(method, path, body);
    if (typeof result?.entry === "number") ownEntries.add(entryOf(result.entry, written));
    return result;
  } finally {
    count(-1);
  }
}

let renewal = null;

/** Takes the token that the other tabs have: a server that was started again has another one. Returns whether there is one. */
async function renew(used) {
  renewal ??= askTabs().finally(() => { renewal = null; });
  const other = await renewal;
  if (token === used && other) {
    token = other;
    remember();
  }
  return token !== used;
}

/** How long an answer may take. The server gives a command 20 seconds. */
const patience = 30_000;

let asked = 0;

/** Has the document carry `data-busy` while an answer is awaited: what drives the page acts when it shows all that it asked. */
function count(by) {
  asked += by;
  document.documentElement.toggleAttribute("data-busy", asked > 0);
}

async function answerTo(method, path, body) {
  // Without an end, a request whose connection is lost, as after a computer was asleep, would hold up all that follow.
  const used = token;
  const options = { method, headers: used === "" ? {} : { Authorization: `Bearer ${used}` }, cache: "no-store", signal: AbortSignal.timeout(patience) };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body, (_, value) => (typeof value === "bigint" ? JSON.rawJSON(value) : value));
  }
  let response;
  let text;
  try {
    response = await fetch(path, options);
    text = await response.text();
  } catch (error) {
    throw new Refusal(0, error?.name === "TimeoutError" ? "The settings page's server did not answer in time. What you see may be out of date."
      : "The settings page's server does not answer. Run 'settings-cli page' again.");
  }
  if (response.status === 401 && used !== "") {
    if (await renew(used)) return answerTo(method, path, body);
    throw new Refusal(401, "The settings page's server was started again. Open the address that it has printed.");
  }
  let answer = null;
  try {
    answer = parse(text);
  } catch {
    // A refusal of the connection has no words for the page.
  }
  if (!response.ok) throw new Refusal(response.status, answer?.error?.message, answer?.error?.findings);
  return answer;
}

/** Parses JSON. An integer that a JavaScript number cannot hold becomes a BigInt. */
export function parse(text) {
  if (!/[0-9]{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?[0-9]+$/.test(context?.source ?? "")
      ? BigInt(context.source) : value);
}

const of = (path, parameters = {}, id = app) => {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value)).toString();
  return `/api/apps/${encodeURIComponent(id)}${path}${query ? `?${query}` : ""}`;
};
/** A key as a word for the server: one that begins with a hyphen would be an option. */
const word = (key) => (key?.startsWith("-") ? key.replace(/^[^.]+/, quote) : key);
const ofFile = (path, parameters) => of(path, { ...parameters, layer });
const inFile = (body) => (layer === "" ? body : { ...body, layer });

export const api = {
  apps: async () => [...(path === "" ? [] : [{ app: path, file: path }]), ...await request("GET", "/api/apps")],
  find: (words) => request("GET", `/api/find?q=${encodeURIComponent(words)}`),
  document: () => {
    const first = early;
    early = null;
    return first ?? request("GET", ofFile(""));
  },
  edits: (edits, more = {}) => change("POST", of("/edits"), inFile({ edits, ...more })),
  keepTrial: (trial) => request("POST", of(`/trials/${encodeURIComponent(trial.id)}/keep`, {}, trial.app), {}),
  endTrial: (trial) => request("DELETE", of(`/trials/${encodeURIComponent(trial.id)}`, {}, trial.app)),
  saveText: (text, ifUnchanged) => change("PUT", of("/text"), inFile({ text, ifUnchanged })),
  rename: (from, to, ifUnchanged) => change("POST", of("/rename"), inFile({ from: word(from), to: word(to), ifUnchanged })),
  // A file without a history is one without entries.
  history: (key, limit = 20) => request("GET", ofFile("/history", { limit, key: word(key) })).catch((error) => {
    if (error.http !== 404) throw error;
    return [];
  }),
  formerText: (number) => request("GET", ofFile(`/history/${number}/text`)),
  takeBack: (verb, what) => change("POST", of(`/${verb}`), inFile({ ...what, key: word(what.key) })),
  migrate: () => change("POST", of("/migrate"), inFile({})),
  recover: () => change("POST", of("/recover"), inFile({})),
  profile: (use) => request("POST", of("/profile"), { use }),
  dropIn: () => request("GET", ofFile("/drop-in")),
  end: () => request("POST", "/api/end", {}),
};

/** What the address says. */
export const session = begin();

// The document is on its way while the rest of the page is still being loaded.
let early = session.app ? session.refusal.then((refusal) => (refusal ? null : request("GET", ofFile("")))) : null;
early?.catch(() => {});
