// The stream of changes. An EventSource cannot send a header, and a token in an address would get into logs; so this is
// a fetch whose body is read as it comes.

import { headers, parse } from "./api.js";

/**
 * Follows the changes of an app until `signal` is aborted. `hear(name, data)` is called for each event, and with
 * "open" and "closed" when the stream begins and breaks off. Nothing runs between two events.
 */
export async function follow(app, signal, hear) {
  for (let wait = 250; !signal.aborted; wait = Math.min(wait * 2, 8000)) {
    try {
      const response = await fetch(`/api/events?app=${encodeURIComponent(app)}`, { headers: headers(), signal, cache: "no-store" });
      if (!response.ok) throw new Error(String(response.status));
      hear("open", null);
      wait = 250;
      await read(response.body.pipeThrough(new TextDecoderStream()).getReader(), hear);
    } catch {
      if (signal.aborted) return;
    }
    hear("closed", null);
    await new Promise((done) => setTimeout(done, wait));
  }
}

async function read(reader, hear) {
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      dispatch(rest.slice(0, end), hear);
      rest = rest.slice(end + 2);
    }
  }
}

function dispatch(block, hear) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  if (data.length === 0) return;
  let parsed = null;
  try {
    parsed = parse(data.join("\n"));
  } catch {
    // An event is a hint: the document is read again in any case.
  }
  hear(name, parsed);
}
