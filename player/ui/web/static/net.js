import { httpTransport } from "./http_transport.js";
import { portTransport } from "./port_transport.js";

const SAVED = 60000; // milliseconds until a saved file is let go
let transport = httpTransport; // the way of all messages

/** Sends all messages over a MessagePort or to a Worker, from the next one on: the program is in this browser. */
export function usePort(port) {
  transport = portTransport(port);
}

/** Begins, with the ticket of a link if there is one: what the page is, its language and its labels. */
export const enter = (ticket) => transport.enter(ticket);

/** Asks the program: the value of its answer, null if it is empty, or `{name, blob}` for a file. `file` is a Blob, and
 * goes along as it is. Rejects with `Refused`, or with another error if there is no answer. */
export const request = (name, fields = {}, file = null) => transport.request(name, fields, file);

/** Reads the events for as long as the program is there: `hear(event, data)` for each of them, in order, and
 * `state(name)` when the stream is `open`, `lost`, `ended`, or another program answers (`stranger`). */
export const subscribe = (hear, state) => transport.subscribe(hear, state);

/** Where the pictures of the element set are. */
export const pictures = () => transport.pictures;

/** A picture from the program. */
export const picture = async (name, fields) => (await request(name, fields)).blob;

/** Saves the file that the program answers with. */
export async function save(what, fields = {}) {
  const { name, blob } = await request(what, fields);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED); // WebKit reads it after the click
}
