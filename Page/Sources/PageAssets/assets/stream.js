// The stream of changes of an app, one for all tabs of a browser: it opens no more than six connections to a server, and
// each stream takes one. This runs in a shared worker, which lives as long as one of its tabs; where a browser has none, in
// the tab. An EventSource cannot send a header, and a token in an address would get into logs; so this is a fetch whose
// body is read as it comes.

/** The app that each tab follows. */
const followed = new Map();
/** The streams by app: { signal, isOpen, state, trial }. */
const streams = new Map();
/** Two of the six connections are left for requests. */
const most = 4;
let token = "";
/** What goes on when there is another token. */
const waits = new Set();

if ("onconnect" in globalThis) globalThis.onconnect = (event) => serve(event.ports[0]);

/**
 * Serves a tab: `{ token, app }` has it follow an app, `{ app: null }` none, and `{ asks: true }` answers with the token,
 * which a tab without one has from the others. A tab gets `{ app, name, data }` for each event, with "open" and "closed"
 * when the stream begins and breaks off, "waiting" where the tabs have more apps than streams, and "foreign" where the
 * server was started again and does not know the token: a tab that it has opened brings another one. Nothing runs between
 * two events.
 */
export function serve(port) {
  port.onmessage = ({ data }) => {
    if (data.token && data.token !== token) {
      ({ token } = data);
      for (const go of waits) go();
      waits.clear();
    }
    if (data.asks) port.postMessage({ token });
    if (data.app === undefined) return;
    if (data.app === null) followed.delete(port);
    else join(port, data.app);
    const apps = new Set(followed.values());
    for (const [app, stream] of streams) {
      if (apps.has(app)) continue;
      streams.delete(app);
      stream.abort();
    }
    for (const app of apps) {
      if (streams.has(app) || streams.size >= most) continue;
      const stream = new AbortController();
      streams.set(app, stream);
      follow(app, stream);
    }
    if (data.app !== null && !streams.has(data.app)) port.postMessage({ app: data.app, name: "waiting", data: "null" });
  };
}

/** Has a tab know what the others of its app know. */
function join(port, app) {
  followed.set(port, app);
  const stream = streams.get(app);
  if (!stream?.isOpen) return;
  port.postMessage({ app, name: "open", data: "null" });
  if (stream.state) port.postMessage({ app, name: "state", data: stream.state });
  if (stream.trial) port.postMessage({ app, name: "trial", data: JSON.stringify({ ...stream.trial, seconds: (stream.trial.until - Date.now()) / 1000 }) });
}

async function follow(app, stream) {
  let wait = 250;
  let hasProblem = false;
  const tell = (name, data) => {
    // What a change says is the state from then on.
    if (/^(state|change)$/.test(name)) {
      stream.state = data;
      wait = 250;
    }
    if (name === "trial") {
      const trial = JSON.parse(data);
      stream.trial = trial.state === "started" ? { ...trial, until: Date.now() + trial.seconds * 1000 } : null;
    }
    hasProblem ||= name === "problem";
    for (const [port, other] of followed) if (other === app) port.postMessage({ app, name, data });
  };
  const { signal } = stream;
  for (; !signal.aborted; wait = Math.min(wait * 2, 8000)) {
    hasProblem = false;
    const used = token;
    try {
      const response = await fetch(`/api/events?app=${encodeURIComponent(app)}`, {
        headers: { Authorization: `Bearer ${used}` }, signal, cache: "no-store",
      });
      if (response.status === 401) {
        if (token === used) {
          tell("foreign", "null");
          await new Promise((go) => {
            waits.add(go);
            signal.addEventListener("abort", go);
          });
        }
        wait = 125;
        continue;
      }
      if (!response.ok) {
        tell("problem", JSON.stringify((await response.json()).error));
        throw new Error(String(response.status));
      }
      stream.isOpen = true;
      tell("open", "null");
      await read(response.body.pipeThrough(new TextDecoderStream()).getReader(), tell);
    } catch {
      if (signal.aborted) return;
    }
    stream.isOpen = false;
    stream.state = stream.trial = null;
    // A server that says what is wrong is there.
    if (!hasProblem) tell("closed", "null");
    await new Promise((done) => { setTimeout(done, wait); });
  }
}

/** Reads events as the server writes them, until their end. */
async function read(reader, tell) {
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(block) ?? [];
      if (name) tell(name, data);
    }
  }
}
