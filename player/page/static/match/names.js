import { t } from "../words.js";

const SUITS = { c: "page.suit.clubs", d: "page.suit.diamonds", h: "page.suit.hearts", s: "page.suit.spades" };
const RANKS = { T: "10", J: "page.rank.jack", Q: "page.rank.queen", K: "page.rank.king", A: "page.rank.ace" };

/** One piece in words, as a screen reader says it: "6-4", "ace of spades", or its name. */
export function pieceName(faces) {
  if (!faces) return t("page.hidden");
  const [one, other] = faces;
  if (typeof one === "number") return faces.join("-");
  return faces.length === 2 && SUITS[other] ? t("page.card", { rank: t(RANKS[one] ?? one), suit: t(SUITS[other]) }) : faces.join(" ");
}

/** The name of a game as a title. */
export const gameName = (game) => game.charAt(0).toUpperCase() + game.slice(1).replaceAll("-", " ");

/** The names of these seats, in a row. */
export const namesOf = (view, seats) => seats.map((seat) => view.seats[seat]?.name ?? "?").join(", ");
