const grew = (numbers, before) => numbers.flatMap((number, seat) => (number > before[seat] ? [seat] : []));
const heldBy = ({ seats }) => seats.map(({ game }) => game.held);
const scoresOf = ({ seats }) => seats.map(({ game }) => game.score);

/** All that lies open on a board, without what may be done with it. */
function laid({ board }) {
  if (!board) return "";
  const { tiles, arms, cards, cells, rows, regions } = board;
  const lie = regions?.map(({ kind, pieces, count }) => (kind === "counter" || kind === "text" ? 0 : [pieces.map(({ index, faces, marks }) => [index, faces, marks]), count]));
  return JSON.stringify([tiles, arms, cards, cells, rows, lie]);
}

/**
 * What has changed from one view of a match to a later one: seats that got pieces, that gave some, that put chips in and
 * that won some; whether the board is another one; whether a turn has passed on with nothing done.
 */
export function changes(before, after) {
  const [was, is] = [before, after].map(heldBy);
  const [had, has] = [before, after].map(scoresOf);
  const chips = after.board?.is === "felt" && before.board?.is === "felt";
  const found = {
    got: grew(is, was),
    gave: grew(was, is),
    paid: chips ? grew(had, has) : [],
    won: grew(has, had),
    laid: laid(before) !== laid(after),
    chips,
  };
  const turn = ({ turns }) => turns.map(({ seat }) => seat).join();
  const still = !found.laid && ![found.got, found.gave, found.paid, found.won].some(({ length }) => length);
  const folded = JSON.stringify(before.seats.map(({ game }) => game.status)) !== JSON.stringify(after.seats.map(({ game }) => game.status));
  return { ...found, passed: still && !folded && before.turns.length === 1 && after.turns.length === 1 && turn(before) !== turn(after) };
}

/** The sounds of what has changed. */
export function soundsOf({ got, gave, paid, won, laid: board, chips, passed }) {
  if (passed) return ["knock"];
  return [
    got.length > 0 && "deal",
    !got.length && (board || gave.length > 0) && "lay",
    chips && (paid.length > 0 || won.length > 0) && "chips",
  ].filter(Boolean);
}
