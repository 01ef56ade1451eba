const DARK = /prefers-color-scheme:\s*dark/;
const dark = []; // rules of the sheets for dark pages, with the condition that they were written with
const root = document.documentElement;

/** Settings of the person's pages, as the program keeps them. What is not among them stays as it is. `newest`: what the
 * page itself keeps is not newer. */
export function applySettings({ theme, colour, text, packs, sound, volume, letters }, newest = true) {
  if (theme !== undefined) applyTheme(theme);
  if (colour !== undefined) root.dataset.colour = colour;
  if (packs !== undefined) root.dataset.packs = packs;
  if (text !== undefined) root.style.fontSize = `${text}%`;
  // `match/sound.js` reads these three, and a match may change them
  const kept = { sound, volume: volume === undefined ? undefined : String(volume / 100), letters };
  for (const [name, value] of Object.entries(kept)) {
    if (value !== undefined && (newest || localStorage.getItem(name) === null)) localStorage.setItem(name, value);
  }
}

/** What a match may have changed: those of the settings that the page itself keeps. */
export function pageSettings() {
  const volume = localStorage.getItem("volume");
  const kept = {
    sound: localStorage.getItem("sound") ?? undefined,
    letters: localStorage.getItem("letters") ?? undefined,
    volume: volume === null ? undefined : Math.round(100 * Number(volume)),
  };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
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
