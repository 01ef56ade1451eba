const DARK = /prefers-color-scheme:\s*dark/;
const dark = []; // rules of the sheets for dark pages, with the condition that they were written with
const root = document.documentElement;

// settings that a match reads from the browser's storage and may change, and where they are there
const PLACES = {
  sound: "sound", volume: "volume", letters: "letters",
  confirm: "match confirm", ahead: "match ahead", awake: "match awake", tour: "match tour", // `preferences.js`
};

/** Settings of the person's pages, as the program keeps them. What is not among them stays as it is. `newest`: what the
 * page itself keeps is not newer. */
export function applySettings(settings, newest = true) {
  const { theme, colour, text, packs } = settings;
  if (theme !== undefined) applyTheme(theme);
  if (colour !== undefined) root.dataset.colour = colour;
  if (packs !== undefined) root.dataset.packs = packs;
  if (text !== undefined) root.style.fontSize = `${text}%`;
  for (const [name, place] of Object.entries(PLACES)) {
    const value = settings[name];
    if (value === undefined || (!newest && localStorage.getItem(place) !== null)) continue;
    localStorage.setItem(place, name === "volume" ? String(value / 100) : value);
  }
}

/** What a match may have changed: those of the settings that the page itself keeps. */
export function pageSettings() {
  const kept = Object.entries(PLACES).map(([name, place]) => [name, localStorage.getItem(place)]).filter(([, value]) => value !== null);
  return Object.fromEntries(kept.map(([name, value]) => [name, name === "volume" ? Math.round(100 * Number(value)) : value]));
}

/** Light, dark, or as the system: the sheets ask the system, so a choice changes what they ask. */
function applyTheme(theme) {
  if (!dark.length) for (const sheet of document.styleSheets) find(sheet.cssRules);
  root.style.colorScheme = theme === "system" ? "" : theme;
  root.dataset.theme = theme;
  for (const [rule, condition] of dark) rule.media.mediaText = { dark: "all", light: "not all" }[theme] ?? condition;
}

function find(rules) {
  for (const rule of rules) {
    if (rule instanceof CSSMediaRule && DARK.test(rule.conditionText)) dark.push([rule, rule.media.mediaText]);
    else if (rule.cssRules) find(rule.cssRules);
  }
}
