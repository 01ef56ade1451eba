const wanted = { deck: null, table: null };

/** Has the cards show this deck when `open` has opened them; an empty name: the decks. */
export function openDeck(name, open) {
  wanted.deck = name;
  return open();
}

/** The deck that is wanted, for once; null: none. */
export function takeDeck() {
  const { deck } = wanted;
  wanted.deck = null;
  return deck;
}

/** Has Play show the form for a table with this in it when `go` goes there. */
export function openForm(filled, go) {
  wanted.table = filled;
  return go();
}

/** What the form for a table is to begin with, for once; null: nothing in particular. */
export function takeForm() {
  const { table } = wanted;
  wanted.table = null;
  return table;
}
