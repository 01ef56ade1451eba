// What a person has chosen for matches, kept by this browser. A page of settings lists and sets the same names.
const coarse = () => matchMedia("(pointer: coarse)").matches; // a finger
const PREFERENCES = {
  confirm: { values: ["off", "back", "again"], usual: () => (coarse() ? "back" : "off") }, // before a choice is sent
  ahead: { values: ["on", "off"], usual: () => "on" }, // whether the next choice can be marked before one's turn
  awake: { values: ["on", "off"], usual: () => (coarse() ? "on" : "off") }, // whether the screen stays on in one's turn and while a hand is dealt
  sort: { values: ["dealt", "suit", "number", "own"], usual: () => "dealt" }, // the order of a hand, for each game
  pass: { values: ["on", "off"], usual: () => "off" }, // whether one passes by itself where nothing else can be done
  tour: { values: ["new", "seen"], usual: () => "new" }, // whether the tour has been offered
};

/** The values that a preference can have. */
export const valuesOf = (name) => PREFERENCES[name].values;

/** A person's preference, or the usual value. `game`: of a preference that is kept for each game. */
export function preference(name, game = "") {
  const { values, usual } = PREFERENCES[name];
  const kept = localStorage.getItem(place(name, game));
  return values.includes(kept) ? kept : usual();
}

/** Keeps a preference from now on. */
export const prefer = (name, value, game = "") => localStorage.setItem(place(name, game), value);

const place = (name, game) => `match ${name}${game && ` ${game}`}`;
