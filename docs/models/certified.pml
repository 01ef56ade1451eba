/* Certified trades: docs/protocol/24-ledger.md (24.4), 27-witness.md (27.2, 27.3).

   Four witnesses, of whom LIARS lie, and two cards. The attacker has all parties of the trades: it offers any trade to any witness at any time,
   with whatever words it has by then, and shows a proof that a witness lied whenever it likes. Honest witnesses sign by 27.2.2, liars anything.
   Spin tries every order. This is a finite state space, searched completely; it says nothing of larger numbers.

   Trades: A and B both give card 1 from its creator; C and D both give it on from A; E gives it on from A, together with card 2 from its creator;
   F gives card 2 from its creator. So C, D and E meet at one place, and E and F at another. No trade is over another one here.

   What is asserted after every step:
   1. Of two trades at one place, never can both be certified, not even in the eyes of two people with different sets of records.
   2. A trade that was certified when all is known stays certified.

   Each claim is one run, with the flags that it names: true if nothing asserted fails.

   Z1. Both hold with three of four words and one liar. Flags: none. Expected: true.
   Z2. Sanity: no trade is certified on a certified one. Flags: -DREACH. Expected: false.
   Z3. Weakened: two words of four are enough. Flags: -DQUORUM=2. Expected: false.
   Z4. Weakened: two of four witnesses lie. Flags: -DLIARS=2. Expected: false.
   Z5. Weakened: a witness goes on from an old copy of its disk. Flags: -DFORGET. Expected: false.
   Z6. Weakened: the quorum does not fall when a liar is proven. Flags: -DKEEP. Expected: false. */

#ifndef QUORUM
#define QUORUM 3
#endif
#ifndef LIARS
#define LIARS 1
#endif
#define WITNESSES 4
#define TRADES 6
#define NONE 7

byte words[WITNESSES];   /* by witness: the trades that it has signed, as bits */
byte memory[WITNESSES];  /* what it remembers of them */
bool proven;             /* somebody has shown two words of a liar for one place */
byte was;                /* trades that were certified when all was known */

byte w, t, u, all, good, enough, maybe, holds;
bool may, lied;

/* By trade, as bits: the others at one of its places; and the trade by which card 1 came to its giver */
#define RIVALS(x) (x == 0 -> 2 : (x == 1 -> 1 : (x == 2 -> 24 : (x == 3 -> 20 : (x == 4 -> 44 : 16)))))
#define PREV(x) (x >= 2 && x <= 4 -> 0 : NONE)
#define HAS(set, x) ((set >> x) & 1)
#define LIES(x) (x < LIARS)

/* enough: trades with enough words when all is known. maybe: those that have enough words in some set.
   holds: those that are certified when all is known. */
inline judge() {
  enough = 0; maybe = 0; holds = 0; lied = false;
  w = 0;
  do
  :: w < WITNESSES && LIES(w) ->
     t = 0;
     do
     :: t < TRADES ->
        if :: HAS(words[w], t) && (words[w] & RIVALS(t)) -> lied = true :: else fi;
        t++
     :: else -> break
     od;
     w++
  :: else -> break
  od;
  t = 0;
  do
  :: t < TRADES ->
     all = 0; good = 0; w = 0;
     do
     :: w < WITNESSES ->
        if :: HAS(words[w], t) -> all++; if :: !LIES(w) -> good++ :: else fi :: else fi;
        w++
     :: else -> break
     od;
#ifdef KEEP
     if :: (!proven && all >= QUORUM) || (proven && good >= QUORUM) -> enough = enough | (1 << t) :: else fi;
     if :: all >= QUORUM -> maybe = maybe | (1 << t) :: else fi;
#else
     if :: (!proven && all >= QUORUM) || (proven && good + LIARS >= QUORUM) -> enough = enough | (1 << t) :: else fi;
     if :: all >= QUORUM || (lied && good + LIARS >= QUORUM) -> maybe = maybe | (1 << t) :: else fi;
#endif
     t++
  :: else -> break
  od;
  t = 0;
  do
  :: t < TRADES ->
     if
     :: HAS(enough, t) && !(enough & RIVALS(t)) && (PREV(t) == NONE || HAS(holds, PREV(t))) -> holds = holds | (1 << t)
     :: else
     fi;
     if :: HAS(maybe, t) -> assert(!(maybe & RIVALS(t))) :: else fi;
     t++
  :: else -> break
  od;
  assert((was & holds) == was);
#ifdef REACH
  assert(!(holds & 28));
#endif
  was = was | holds;
  w = 0; t = 0; all = 0; good = 0
}

active proctype attacker() {
  byte x, y;
  do
  :: atomic {
       select(x : 0 .. 3);
       select(y : 0 .. 5);
       if
       :: !HAS(words[x], y) &&
          (LIES(x) || (!(memory[x] & RIVALS(y)) && (PREV(y) == NONE || HAS(maybe, PREV(y))))) ->
          words[x] = words[x] | (1 << y);
          memory[x] = memory[x] | (1 << y);
          d_step { judge() }
       :: else
       fi;
       x = 0; y = 0
     }
  :: atomic { lied && !proven -> proven = true; d_step { judge() } }
#ifdef FORGET
  :: atomic { select(x : 0 .. 3); memory[x] = 0; x = 0 }
#endif
  od
}
