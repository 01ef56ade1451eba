import { el } from "../dom.js";
import { t } from "../words.js";
import { dialog } from "./dialog.js";

const NOTES = { turn: [587, 880], over: [523, 659, 784], said: [440] }; // hertz
const LENGTH = 0.14; // seconds of a note
const SOUNDS = [["off", "page.sound.off"], ["on", "page.sound.on"], ["hidden", "page.sound.hidden"]];

/** What the person has chosen, on this machine. */
export const settings = {
  sound: () => localStorage.getItem("sound") ?? "off",
  letters: () => localStorage.getItem("letters") !== "off",
};

let audio = null;

/** Notes, if the person wants to hear any now. */
export function play(name) {
  if (settings.sound() === "off" || (settings.sound() === "hidden" && !document.hidden)) return;
  audio ??= new AudioContext();
  NOTES[name].forEach((hertz, at) => note(hertz, audio.currentTime + at * LENGTH));
}

function note(hertz, from) {
  const tone = new OscillatorNode(audio, { frequency: hertz, type: "triangle" });
  const volume = new GainNode(audio, { gain: 0 });
  volume.gain.setValueAtTime(0.15, from);
  volume.gain.exponentialRampToValueAtTime(0.001, from + 2 * LENGTH);
  tone.connect(volume).connect(audio.destination);
  tone.start(from);
  tone.stop(from + 2 * LENGTH);
}

/** The own turn begins: heard, and where the person allows it, shown and felt though the page is hidden. */
export function call(text, browser = globalThis) {
  play("turn");
  if (!browser.document.hidden || browser.Notification?.permission !== "granted") return;
  const shown = new browser.Notification(text, { tag: "turn" });
  shown.onclick = () => (browser.focus(), shown.close());
  browser.navigator.vibrate?.([120, 80, 120]);
}

/** Settings of this page, and what one does seldom: `more` are further buttons. */
export function menu(...more) {
  const choose = ({ target }) => {
    localStorage.setItem("sound", target.value);
    play("turn");
  };
  const option = ([value, key]) => el("option", { value, selected: settings.sound() === value }, t(key));
  const letters = ({ target }) => localStorage.setItem("letters", target.checked ? "on" : "off");
  const ask = ({ target }) => Notification.requestPermission().then(() => (target.disabled = true));
  return dialog("page.menu",
    el("label", { class: "row wrap" }, t("page.sound"), el("select", { onchange: choose }, SOUNDS.map(option))),
    el("label", { class: "row" }, el("input", { type: "checkbox", checked: settings.letters(), onchange: letters }), t("page.letters")),
    globalThis.Notification?.permission === "default" && el("button", { onclick: ask }, t("page.notify")),
    ...more);
}
