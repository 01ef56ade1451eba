const wanted = { deck: null };

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
