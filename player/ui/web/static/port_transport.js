import { Refused } from "./refused.js";

/** Messages over a MessagePort or a Worker, to a program in this browser; player/ui/web/page_port.py says what they are. */
export function portTransport(port) {
  const waiting = new Map(); // by number: what to do with the answer
  let asked = 0;
  let heard = null; // what events go to

  const arrived = ({ id, value, file, refusal, event, data, mark }) => {
    if (event !== undefined) return take(event, data, mark);
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (refusal) reject?.(new Refused(refusal.code, refusal));
    else resolve?.(file ? { name: file.name, blob: new Blob([file.data], { type: file.kind }) } : value);
  };

  const take = (event, data, mark) => {
    try {
      heard?.(event, data);
    } finally {
      port.postMessage({ read: mark }); // the next one may come
    }
  };

  const request = async (name, fields, file) => {
    const bytes = file && { file: await file.arrayBuffer() };
    asked += 1;
    const message = { id: asked, name, fields: JSON.parse(JSON.stringify(fields)), ...bytes }; // as HTTP would carry them
    return new Promise((resolve, reject) => {
      waiting.set(message.id, { resolve, reject });
      port.postMessage(message);
    });
  };

  const subscribe = (hear, state) =>
    new Promise((ended) => {
      heard = (event, data) => {
        if (event !== "ended") return hear(event, data);
        state("ended");
        ended();
      };
      state("open");
      port.postMessage({ subscribe: null });
    });

  port.addEventListener("message", ({ data }) => arrived(data));
  port.start?.(); // a Worker has none, and needs none
  const enter = () => request("session", { languages: navigator.languages.join(",") });
  const { pictures = "elements/" } = document.body.dataset;
  return { enter, request, subscribe, pictures };
}
