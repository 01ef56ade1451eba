import { t } from "../words.js";

const GAMES = {
  "block-dominoes": "page.game.block",
  "draw-dominoes": "page.game.draw",
  "texas-holdem": "page.game.holdem",
  "omaha": "page.game.omaha",
  "five-card-draw": "page.game.five_card",
  "matches": "page.game.matches",
  "nim": "page.game.nim",
  "hexapawn": "page.game.hexapawn",
  "connect-four": "page.game.connect_four",
  "intruder": "page.game.intruder",
  "ligretto": "page.game.ligretto",
  "element-duel": "page.game.element_duel",
  "mau-mau": "page.game.mau_mau",
  "mau-mau-shared": "page.game.mau_mau_shared",
  "script": "page.game.script",
};
const COLOURS = { red: "page.colour.red", yellow: "page.colour.yellow", green: "page.colour.green", blue: "page.colour.blue" };
const SUITS = { c: "page.suit.clubs", d: "page.suit.diamonds", h: "page.suit.hearts", s: "page.suit.spades" };
const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const RANKS = { T: "10", J: "page.rank.jack", Q: "page.rank.queen", K: "page.rank.king", A: "page.rank.ace" };

/** One piece in words, as a screen reader says it: "6-4", "ace of spades", or its name. */
export function pieceName(faces) {
  if (!faces) return t("page.hidden");
  const [one, other] = faces;
  if (typeof one === "number") return faces.join("-");
  if (faces.length === 2 && one in COLOURS) return `${t(COLOURS[one])} ${other}`;
  return faces.length === 2 && SUITS[other] ? t("page.card", { rank: t(RANKS[one] ?? one), suit: t(SUITS[other]) }) : faces.join(" ");
}

/** The name of a game as people write it; rules of somebody else's are called as they call themselves. */
export const gameName = (game) =>
  Object.hasOwn(GAMES, game) ? t(GAMES[game]) : game.charAt(0).toUpperCase() + game.slice(1).replaceAll("-", " ");

/** The games that people call so, or by a name that has this text in it. */
export const gamesCalled = (text) => Object.keys(GAMES).filter((game) => gameName(game).toLowerCase().includes(text.toLowerCase()));

/** A name in a sentence: written from the right, it turns no number there. The program's sentences have this already. */
const isolated = (name) => (FROM_THE_RIGHT.test(name) ? `\u2068${name}\u2069` : name);

/** The names of these seats, in a row. */
export const namesOf = (view, seats) => seats.map((seat) => isolated(view.seats[seat]?.name ?? "?")).join(", ");
