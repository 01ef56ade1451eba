"""Limits of a match: its seats, its pieces, its clock, with their units and reasons."""

# --- tables ---
MAX_SEATS = 10  # seats; hold'em is played by up to ten, and more seats make dealing slow
MAX_PIECES = 360  # pieces dealt or asked for at once; nine own decks of 40 cards
MAX_LOOSE = 1024  # loose cards of one deal; ten decks of 100, and tokens
# draws, openings and hide operations in one seeded deal; a long match has a thousand
MAX_SEEDED_STEPS = 10_000
# pieces shuffled together; four packs of cards, with a proof that still fits an entry
MAX_PILE = 208
MAX_NAME = 24  # characters of a player's or table's name; fits a column on a terminal
# bytes of one encoded entry; the largest (a proven shuffle of MAX_PILE cards) has 40 kB
MAX_ENTRY = 48 * 1024
# bytes of free disk that a program requires before it takes a seat: an outbox, and smaller files
MATCH_ROOM = MAX_ENTRY + 16 * 1024
MAX_VALUE = 40  # characters of an option's value
# options of a game or a dealing protocol; the five of a game for own decks, and all that its terms
# may say of the cards
MAX_OPTIONS = 32
MAX_RULES = 64  # characters of a rules version; a SHA-256 in hexadecimal digits
MAX_TABLES_LISTED = 200  # rows of a lobby listing; 200 rows of 4 seats stay under a frame
MAX_TABLES_FOUND = 50  # rows of a page of tables; 50 rows of MAX_SEATS seats stay under a frame
MAX_SEARCH = 40  # characters of a search for tables; the longest name has MAX_NAME
# games of a search, because people call them otherwise; a search by their words finds fewer
MAX_GAMES_SOUGHT = 16
MAX_ENVELOPE = 16 * 1024  # bytes of a sealed envelope; 208 slot keys have 6.7 kB
# bytes of entries after which no large shuffle may begin; the rest of a match takes 10 MB
FULL_LOG = 192 * 1024 * 1024
# bytes of a log file; 500 hands of the slowest dealing take 220 MB
MAX_LOG_FILE = 256 * 1024 * 1024
# bytes of the file of times beside a log; a million entries take 25 MB
MAX_TIMES_FILE = 32 * 1024 * 1024

# --- the clock of a match ---
# seconds for an entry that a program posts by itself; enough to restart a laptop in between
DEFAULT_STEP_SECONDS = 300
# seconds for a move; the longest that people like to watch somebody think
DEFAULT_TURN_SECONDS = 120
# extensions of a turn, for every seat in a match; the telephone rings now and then
DEFAULT_EXTENSIONS = 3
# seconds of a step or a turn; a move a month is a game by letters
MAX_CLOCK_SECONDS = 30 * 24 * 3600
# extensions for every seat in a match; more have the same effect as a longer turn
MAX_EXTENSIONS = 100
# seconds that a seat has left after a warning, or half its time if that is less; enough to choose
WARNING_SECONDS = 10
# seconds by which a seat's wait may be shorter than the table claims; two entries may travel at
# different speeds
CLOCK_TOLERANCE_SECONDS = 2
# seconds after which a step of a deal is slow, or a tenth of the time for a step if that is more
SLOW_SECONDS = 30
# slow steps of a seat in a deal, after which a step may take no longer than a slow one; all the
# steps of a hand of hold'em
MAX_SLOW_STEPS = 8
# percent of a wait by which two clocks may differ before a doubt; real clocks differ by a
# thousandth
CLOCK_DRIFT_PERCENT = 10
# consecutive lapsed turns of a seat; the last counts as leaving, because nobody plays there
MAX_LAPSES = 3
# seconds after which a seat's time begins although its connection has not taken the entry that it
# must answer, and for which the table may read its connection late at its own expense; MAX_UNSENT
# and MAX_TALK_QUEUED take as long at 20 kbit/s
CLOCK_LINE_SECONDS = 10
# seconds without a turn of the event loop, or without an answer of store, signer or worker, from
# which they are nobody's time; people do not notice less
STANDSTILL_SECONDS = 0.5
# seconds between two beats by which a table notices that it stood still; finer costs more
LOOP_BEAT_SECONDS = 0.5
# milliseconds that all round trips are extended to; with a longer round trip nobody can race others
MAX_LEVEL = 500

# --- round trips, in simultaneous play ---
# seconds between two measurements of a seat's round trip, and between two reports of it to all
PING_SECONDS = 2.0
# seconds for which the smallest measured round trip counts, at most twice as long; network paths
# change
TRIP_SECONDS = 30.0
MAX_TRIP = 60_000  # milliseconds of a reported round trip; nobody plays with more than a minute
# entries whose time of sending to a seat is remembered; some seconds of a busy match
MAX_TIMED = 256
# entries of one seat delayed at once to level round trips; honest programs have one under way
MAX_HELD = 16

# --- layered dealing (counts) ---
# rounds of selection, per piece, after which taking nothing is no chance: the probability of more
# is 2^-20, with p >= 1/2
FREE_ROUNDS_PER_PIECE = 4

# --- fairness between seats ---
# shuffles of the values, to compare the result with chance; p-values down to a thousandth
FAIRNESS_TRIES = 999
# number of shuffles at least as uneven as the observed values, after which the test stops; p then
# has a relative error of one fifth
FAIRNESS_ENOUGH = 20
# attempts compared, drawn from all; two seconds at worst, and a difference of 2 % becomes visible
FAIRNESS_SAMPLE = 5_000
# p-value below which a sentence reports a difference; with two p-values, one or two in 100 honest
# matches have one
FAIRNESS_DOUBT = 0.01
# times of each kind, at least, for a comparison; fewer prove nothing at this p-value
FAIRNESS_LEAST = 8
# entries within which the drift between two clocks is negligible; they take a few seconds, and the
# clocks drift by some millionths of that
FAIRNESS_STRETCH = 32
# milliseconds of delay from which a sentence reports it; a program that is busy for a moment is
# late by less
FAIRNESS_LATER_MS = 15

# --- length ---
# actions that the rules take from one deal to the next, or in a match without deals; each game that
# comes along ends before, so only rules that never end get there
MAX_HAND_ACTIONS = 25_000
# deals of one match; games that come along end before, at 500 hands and some that are dealt anew
MAX_MATCH_DEALS = 25_000
