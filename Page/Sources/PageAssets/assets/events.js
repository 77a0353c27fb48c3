// What a tab hears of the stream of changes, which it shares with the other tabs of the browser.

import { serve } from "./stream.js";

let app = null;
let token = "";
let hear = () => {};
let answered = () => {};
const port = connect();

function connect() {
  if (globalThis.SharedWorker) {
    const path = "/stream.js";
    // The page refuses other addresses of scripts, and other policies.
    const url = globalThis.trustedTypes?.createPolicy("stream", { createScriptURL: () => path }).createScriptURL(path) ?? path;
    return new SharedWorker(url, { type: "module", name: "settings-page" }).port;
  }
  const { port1, port2 } = new MessageChannel();
  serve(port2);
  return port1;
}

port.onmessage = ({ data }) => {
  if (data.token !== undefined) answered(data.token);
  else if (data.app === app) hear(data.name, data.data, app);
};

const say = () => port.postMessage({ token, app });

/** Follows the changes of an app, or of none, in place of the one before. `heard(name, text, app)` is called for each event. */
export function follow(next, key, heard) {
  [app, token, hear] = [next, key, heard];
  say();
}

/** The token that another tab of this browser has; "" if none has one. */
export const askTabs = () => new Promise((done) => {
  answered = done;
  port.postMessage({ asks: true });
  // A browser that does not start the worker says nothing.
  setTimeout(done, 2000, "");
});

// The server asks browsers to keep no page that was left. Where one does, it follows nothing until somebody comes back.
window.addEventListener("pagehide", () => port.postMessage({ app: null }));
window.addEventListener("pageshow", (event) => {
  if (event.persisted) say();
});
