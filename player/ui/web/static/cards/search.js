import { stateWord } from "./marks.js";

const COMPARED = /^([^<>=]+)(<=|>=|<|>|=)(.+)$/; // a word such as strength>4
const HOLDS = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  "=": (a, b) => a === b,
  ">=": (a, b) => a >= b,
  ">": (a, b) => a > b,
};

/** Whether all words of a search are true of a card: each is found in its texts, or compares one of its values. */
export function matches(card, search) {
  const owned = card.creator ? [card.text, card.edition, card.creator.name, stateWord(card.state), card.short] : [];
  const text = [card.name, ...owned, ...card.values.flat()].join(" ").toLowerCase();
  const values = new Map(card.values.map(([name, value]) => [name.toLowerCase(), value]));
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word) || compared(word, values));
}

function compared(word, values) {
  const [, name, sign, wanted] = COMPARED.exec(word) ?? [];
  if (!values.has(name)) return false;
  const value = values.get(name);
  const number = Number(wanted);
  if (typeof value === "number") return !Number.isNaN(number) && HOLDS[sign](value, number);
  return HOLDS[sign](String(value).toLowerCase(), wanted);
}

/** The names of all values that the cards in a binder have, in the order of the alphabet. */
export const names = (editions) =>
  [...new Set(editions.flatMap(({ stacks }) => stacks.flatMap(({ cards }) => cards[0].values.map(([name]) => name))))].sort();

/** A comparison that is true of some of these cards: it shows how one is written. */
export function example(editions) {
  const values = editions.flatMap(({ stacks }) => stacks.flatMap(({ cards }) => cards[0].values)).filter(([, value]) => typeof value === "number");
  if (!values.length) return "strength>=5";
  const [name] = values[0];
  const found = values.filter(([other]) => other === name).map(([, value]) => value).sort((a, b) => a - b);
  return `${name}>=${found[Math.floor(found.length / 2)]}`;
}

const KEYS = {
  "": (stack) => stack.page?.name,
  "#name": (stack) => stack.name,
  "#number": (stack) => stack.cards[0].serial,
  "#state": (stack) => stack.cards[0].state,
  "#copies": (stack) => stack.cards.length,
};

/** Stacks in the order of what `key` names: one of `KEYS`, or a value of the cards. Cards without that value come last. */
export function ordered(stacks, key, downwards) {
  const of = KEYS[key] ?? (({ cards }) => new Map(cards[0].values).get(key));
  const sign = downwards ? -1 : 1;
  return [...stacks].sort((one, other) => {
    const [a, b] = [of(one), of(other)];
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined) || byName(one, other);
    return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b))) || byName(one, other);
  });
}

const byName = (one, other) => one.name.localeCompare(other.name);
