import { el, svg } from "../dom.js";
import { t } from "../words.js";
import { dialog } from "./dialog.js";
import { set } from "./keep.js";
import { samplesOf } from "./tones.js";

const USUAL = 0.25; // volume, of 1
const APART = 70; // milliseconds between two of one sound
const SOUNDS = [["off", "page.sound.off"], ["on", "page.sound.on"], ["hidden", "page.sound.hidden"]];
const SPEAKER = "M2 6h3l4-4v12l-4-4H2z";
const WAVES = "M11 5a4 4 0 0 1 0 6M12.5 2.5a7 7 0 0 1 0 11";
const CROSS = "M11 6l4 4M15 6l-4 4";

/** What the person has chosen, on this machine. */
export const settings = {
  sound: () => localStorage.getItem("sound") ?? "on",
  letters: () => localStorage.getItem("letters") !== "off",
};

/** Whether there are sounds, and how loud they are, from 0 to 1. */
export function soundOf() {
  const volume = Number(localStorage.getItem("volume") ?? USUAL);
  return { on: settings.sound() !== "off", volume: volume >= 0 && volume <= 1 ? volume : USUAL };
}

const listeners = new Set(); // functions that draw the settings again, for parts that are on the page
const notify = () => listeners.forEach((draw) => draw());

/** Sets either or both for this machine; sounds that were wanted while the page is hidden stay so. */
export function setSound({ on, volume }) {
  if (volume !== undefined) localStorage.setItem("volume", String(volume));
  if (on !== undefined && on !== soundOf().on) choose(on ? "on" : "off");
  notify();
}

function choose(value) {
  localStorage.setItem("sound", value);
  notify();
}

const audio = { context: null, buffers: new Map(), last: new Map() };

/** A sound, if the person wants to hear any now. A browser allows none before a page has been used. */
export function play(name) {
  const { on, volume } = soundOf();
  if (!on || !volume || (settings.sound() === "hidden" && !document.hidden)) return;
  if (!(navigator.userActivation?.hasBeenActive ?? true)) return;
  if (performance.now() - (audio.last.get(name) ?? -APART) < APART) return;
  audio.last.set(name, performance.now());
  audio.context ??= new AudioContext();
  if (audio.context.state === "suspended") audio.context.resume().catch(() => {});
  const loudness = new GainNode(audio.context, { gain: volume });
  const source = new AudioBufferSourceNode(audio.context, { buffer: bufferOf(name) });
  source.connect(loudness).connect(audio.context.destination);
  source.start();
}

/** A sound is computed once. */
function bufferOf(name) {
  if (!audio.buffers.has(name)) {
    const { sampleRate } = audio.context;
    const samples = samplesOf(name, sampleRate);
    const buffer = new AudioBuffer({ length: samples.length, sampleRate });
    buffer.copyToChannel(samples, 0);
    audio.buffers.set(name, buffer);
  }
  return audio.buffers.get(name);
}

/** The own turn begins: heard, and where the person allows it, shown and felt though the page is hidden. */
export function call(text, browser = globalThis) {
  play("turn");
  if (!browser.document.hidden || browser.Notification?.permission !== "granted") return;
  try {
    const shown = new browser.Notification(text, { tag: "turn" });
    shown.onclick = () => (browser.focus(), shown.close());
  } catch {
    // browsers of telephones show notices of service workers alone
  }
  browser.navigator.vibrate?.([120, 80, 120]);
}

/** The button that asks the browser for notices, and what the browser has answered; null where it has none. */
export function notices(browser = globalThis) {
  const { Notification } = browser;
  if (!Notification) return null;
  const said = el("span", { role: "status" });
  const ask = async () => (await Notification.requestPermission(), draw());
  const button = el("button", { type: "button", onclick: ask }, t("page.notify"));
  const draw = () => {
    const { permission } = Notification;
    button.hidden = permission !== "default";
    said.textContent = permission === "default" ? "" : t(permission === "granted" ? "page.notify.on" : "page.notify.off");
  };
  draw();
  return el("p", { class: "row wrap" }, button, said);
}

/** Keeps a part of the page as the settings are, until it has left the page. */
function following(node, draw) {
  const follow = () => (node.isConnected ? draw() : listeners.delete(follow));
  listeners.add(follow);
  draw();
}

/** One press silences all sounds, the next brings them back; `name`: what stands on the button beside its sign. */
export function muteButton(name = null) {
  const line = svg("path", { class: "waves" });
  const icon = svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: SPEAKER }), line);
  const node = el("button", { class: "quiet mute", "aria-label": t("page.sound.mute"), title: t("page.sound.mute"), onclick: () => setSound({ on: !soundOf().on }) }, icon, name);
  following(node, () => {
    const { on } = soundOf();
    set(node, "aria-pressed", String(!on));
    set(line, "d", on ? WAVES : CROSS);
  });
  return node;
}

function controls() {
  const option = ([value, key]) => el("option", { value, selected: settings.sound() === value }, t(key));
  const select = el("select", { onchange: () => (choose(select.value), play("turn")) }, SOUNDS.map(option));
  const volume = el("input", { type: "range", min: "0", max: "1", step: "0.05", value: String(soundOf().volume) });
  volume.addEventListener("change", () => (setSound({ volume: volume.valueAsNumber }), play("lay")));
  following(select, () => {
    select.value = settings.sound();
    volume.value = String(soundOf().volume);
  });
  return [
    muteButton(t("page.sound.mute")),
    el("label", { class: "row wrap" }, t("page.sound"), select),
    el("label", { class: "row wrap" }, t("page.sound.volume"), volume),
  ];
}

/** Settings of this page, and what one does seldom: `more` are further buttons. */
export function menu(...more) {
  const letters = ({ target }) => localStorage.setItem("letters", target.checked ? "on" : "off");
  return dialog("page.menu",
    controls(),
    el("label", { class: "row" }, el("input", { type: "checkbox", checked: settings.letters(), onchange: letters }), t("page.letters")),
    notices(),
    ...more);
}
