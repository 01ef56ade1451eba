"""Bounds of a match: its seats, its pieces, its clock, each with its unit and its reason."""

# --- tables ---
MAX_SEATS = 9  # hold'em is played by up to nine; more seats make dealing slow
MAX_PIECES = 360  # that are dealt or asked for at once: nine own decks of 40 cards
MAX_LOOSE = 1024  # loose cards of one deal: nine decks of 100, and tokens
# cards drawn or shown, and times some were hidden, in one deal; a long match has a thousand
MAX_SEEDED_STEPS = 10_000
# pieces that are shuffled as one: four packs of cards, whose proof still fits an entry
MAX_PILE = 208
MAX_NAME = 24  # characters of a player's or table's name; fits a column on a terminal
# bytes of one encoded entry; the largest (a proven shuffle of MAX_PILE cards) is 40 kB
MAX_ENTRY = 48 * 1024
# bytes of disk that a seat has before it sits: an outbox, and what is smaller
MATCH_ROOM = MAX_ENTRY + 16 * 1024
MAX_VALUE = 40  # characters of an option's value
MAX_OPTIONS = 8  # options of a game or a dealing protocol
MAX_RULES = 64  # characters of a rules version; a SHA-256 in hexadecimal digits
MAX_TABLES_LISTED = 200  # rows of a lobby listing; 200 rows of 4 seats stay under a frame
MAX_ENVELOPE = 16 * 1024  # bytes of a sealed envelope; 208 slot keys are 6.7 kB
# bytes of entries, then no shuffle begins that takes much; the rest of a match is 10 MB
FULL_LOG = 192 * 1024 * 1024
# bytes of a log file; 500 hands dealt in the slowest way there is take 220 MB
MAX_LOG_FILE = 256 * 1024 * 1024
# bytes of the file of times beside a log; a million entries take 25 MB
MAX_TIMES_FILE = 32 * 1024 * 1024

# --- the clock of a match ---
# for an entry that a program posts by itself; a laptop may be restarted in between
DEFAULT_STEP_SECONDS = 300
DEFAULT_TURN_SECONDS = 120  # for a move; the longest that people like to look at somebody thinking
DEFAULT_EXTENSIONS = 3  # of a turn, for every seat in a match; the telephone rings now and then
MAX_CLOCK_SECONDS = 30 * 24 * 3600  # of a step or a turn; a move a month is a game by letters
MAX_EXTENSIONS = 100  # for every seat in a match; more of them are the same as a longer turn
# that a seat has left when it is warned, or half its time if that is less; enough to choose
WARNING_SECONDS = 10
# that a seat may have seen less than the table claims; two entries travel unequally
CLOCK_TOLERANCE_SECONDS = 2
# of a step of a deal, or a tenth of what it may take if that is more: then it was a slow one
SLOW_SECONDS = 30
# of a seat in a deal; then a step may take no longer than that: all the steps of a hand of hold'em
MAX_SLOW_STEPS = 8
# of a wait that a doubt allows two clocks to differ; real ones differ by a thousandth
CLOCK_DRIFT_PERCENT = 10
# turns of a seat that lapse one after the other; the last counts as leaving, nobody plays there
MAX_LAPSES = 3
# milliseconds that all round trips are made to take; who is farther away cannot race anybody
MAX_LEVEL = 500

# --- round trips, where seats act independently ---
# between two questions that measure a seat's round trip, and what all are told of it
PING_SECONDS = 2.0
# for which the smallest that was measured counts, twice that at most: lines change
TRIP_SECONDS = 30.0
MAX_TRIP = 60_000  # milliseconds of a round trip that is told; nobody plays over a minute
# entries for which it is remembered when a seat was sent them; some seconds of a busy match
MAX_TIMED = 256
# entries of one seat that are held at once to level round trips; honest programs have one under way
MAX_HELD = 16

# --- layered dealing (counts) ---
# rounds of selection, per piece, before taking is no chance: 2^-20 need more, with p >= 1/2
FREE_ROUNDS_PER_PIECE = 4

# --- whether seats fared alike ---
# that values are dealt out anew, to see what chance does; p-values down to a thousandth
FAIRNESS_TRIES = 999
# of those that are as uneven as what was found, then p is known well enough: to a fifth of it
FAIRNESS_ENOUGH = 20
# attempts that are compared, drawn from more; two seconds at worst, and 2 % of them show
FAIRNESS_SAMPLE = 5_000
# the p-value below which a sentence says so; of two, one or two honest matches in 100 have one
FAIRNESS_DOUBT = 0.01
# times that are compared with as many others, at least; fewer say nothing at this p-value
FAIRNESS_LEAST = 8
# entries in which two clocks drift apart by nothing: a few seconds, and some millionths of these
FAIRNESS_STRETCH = 32
# milliseconds later, then a sentence says so; a program that is busy just then is later by less
FAIRNESS_LATER_MS = 15
