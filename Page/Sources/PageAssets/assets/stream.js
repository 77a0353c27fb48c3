// The stream of changes of an app, one for all tabs of a browser: it opens no more than six connections to a server, and
// each stream takes one. This runs in a shared worker, which lives as long as one of its tabs; where a browser has none, in
// the tab. An EventSource cannot send a header, and a token in an address would get into logs; so this is a fetch whose
// body is read as it comes.

/** The app that each tab follows. */
const followed = new Map();
/** The streams by app: { signal, isOpen, state }. */
const streams = new Map();
let token = "";

if ("onconnect" in globalThis) globalThis.onconnect = (event) => serve(event.ports[0]);

/**
 * Serves a tab: `{ token, app }` has it follow an app, `{ app: null }` none, and `{ asks: true }` answers with the token,
 * which a tab without one has from the others. A tab gets `{ app, name, data }` for each event, with "open" and "closed"
 * when the stream begins and breaks off. Nothing runs between two events.
 */
export function serve(port) {
  port.onmessage = ({ data }) => {
    if (data.token) ({ token } = data);
    if (data.asks) port.postMessage({ token });
    if (data.app === undefined) return;
    followed.set(port, data.app);
    if (data.app === null) followed.delete(port);
    else join(port, data.app);
    for (const [app, stream] of streams) {
      if ([...followed.values()].includes(app)) continue;
      streams.delete(app);
      stream.abort();
    }
  };
}

function join(port, app) {
  const stream = streams.get(app);
  if (!stream) {
    const made = new AbortController();
    streams.set(app, made);
    follow(app, made);
  } else if (stream.isOpen) {
    port.postMessage({ app, name: "open", data: "null" });
    if (stream.state) port.postMessage({ app, name: "state", data: stream.state });
  }
}

async function follow(app, stream) {
  const tell = (name, data) => {
    if (name === "state") stream.state = data;
    for (const [port, other] of followed) if (other === app) port.postMessage({ app, name, data });
  };
  const { signal } = stream;
  for (let wait = 250; !signal.aborted; wait = Math.min(wait * 2, 8000)) {
    try {
      const response = await fetch(`/api/events?app=${encodeURIComponent(app)}`, {
        headers: { Authorization: `Bearer ${token}` }, signal, cache: "no-store",
      });
      if (!response.ok) throw new Error(String(response.status));
      stream.isOpen = true;
      tell("open", "null");
      wait = 250;
      await read(response.body.pipeThrough(new TextDecoderStream()).getReader(), tell);
    } catch {
      if (signal.aborted) return;
    }
    stream.isOpen = false;
    stream.state = null;
    tell("closed", "null");
    await new Promise((done) => { setTimeout(done, wait); });
  }
}

async function read(reader, tell) {
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      dispatch(rest.slice(0, end), tell);
      rest = rest.slice(end + 2);
    }
  }
}

function dispatch(block, tell) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  if (data.length > 0) tell(name, data.join("\n"));
}
