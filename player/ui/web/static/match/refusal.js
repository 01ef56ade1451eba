import { el } from "../dom.js";
import { float } from "./float.js";
import { write } from "./keep.js";

const LONG = 4000; // milliseconds for which one reads why something cannot be played

/** A word about what cannot be played, above the own seat: nothing moves for it, and it goes by itself. */
export function refusal(own) {
  const text = el("p", { role: "status" });
  const box = float("unfit", own, text);
  let timer = 0;
  return {
    node: box.node,
    say(words) {
      clearTimeout(timer);
      box.show();
      write(text, words);
      timer = setTimeout(box.hide, LONG);
    },
    hide: () => (clearTimeout(timer), box.hide()),
  };
}
