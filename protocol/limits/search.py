"""Bounds of what a program works out: searches, simulations, rule files, each with its unit and its
reason.
"""

# --- search ---
# moves ahead, then a guess; each is up to four calls, and Python allows 1,000 with the asker's
MAX_SEARCH_PLIES = 160
# positions in a table, for each seat to move, or that are all kept; some 600 bytes each
MAX_SEARCH_TABLE = 1_000_000
SEARCH_NODES = 1_000_000  # that a search looks at when nobody says; ten seconds
MAX_SEARCH_NODES = 1_000_000_000  # that it may be asked to look at; three hours
SEARCH_GAMES = 10_000  # that Monte-Carlo search plays when nobody says; a second
MAX_SEARCH_GAMES = 1_000_000  # that it may be asked to play; each keeps a node of 300 bytes to 2 kB
SEARCH_DEPTH = 4  # moves ahead, of a search that guesses there, when nobody says; two of each side
MAX_DRAWN_NODES = 20_000  # that a search may look at which is drawn; each is kept
MAX_DRAWN_ROWS = 300  # of a drawn tree; a metre of paper
MAX_DRAWN_LABEL = 24  # characters of a move in a drawn tree; columns stay readable
HINT_NODES = 200_000  # that a hint looks at, all moves together; two seconds
BOT_NODES = 20_000  # that a bot looks at for a move when nobody says; a quarter of a second
# that it lets a game's own solver look at first, when nobody says; two seconds in Python
BOT_SOLVER_NODES = 1_000_000
# that it may be asked to look at; a minute, half of the time that a turn usually has
MAX_BOT_NODES = 5_000_000
BOT_GAMES = 2_000  # that a bot plays at random for a move when nobody says; a quarter of a second
MAX_BOT_GAMES = 500_000  # that it may be asked to play; a minute
SEARCH_STOP_NODES = 256  # between two questions whether to stop; 3 ms
SOLVER_STOP_NODES = 4096  # the same when Connect Four is solved; 10 ms in Python, 1 ms compiled
MAX_SOLVER_TABLE = 1 << 20  # positions in its table, then all are forgotten; 100 bytes each

# --- simulation of Ligretto ---
SIMULATED_ROUNDS = 1_000  # that are simulated when nobody says; a second in Python
MAX_SIMULATED_ROUNDS = 1_000_000  # that may be asked for; ten minutes in Python with four seats
MAX_SIMULATED_SEATS = 100  # of a table in a model; nobody's arms are longer
# of a model's unit, for any time that is set; beyond it nothing new happens
MAX_SIMULATED_TIME = 1_000_000
# of a round without a lay between; a hand of 27 is as it was after so many
MAX_SIMULATED_RESCUES = 1_000
# the largest whole number that every reader of JSON reads as it stands
MAX_SIMULATED_SEED = 2**53 - 1
# bytes of a file of decks; 10,000 decks are 1.2 MB, with spaces twice that
MAX_DECKS_FILE = 4 * 1024 * 1024
MAX_SIMULATION_BODY = 256 * 1024  # bytes of what a service is asked with; 1,000 decks are 120 kB
MAX_SIMULATION_CONNECTIONS = 64  # at once; polling takes one for a moment, the oldest gives way
SIMULATION_SECONDS = 60  # that a service gives to one simulation when nobody says
MAX_SIMULATION_SECONDS = 24 * 3600  # that it may be told to give; the queue stands as long
SIMULATION_MEMORY_MIB = 2048  # MiB that a service's worker may take; 10,000 players take a tenth
# in a service's queue; the last one waits a quarter of an hour at the longest
MAX_SIMULATIONS_WAITING = 16
MAX_SIMULATIONS_KEPT = 256  # results of a service; each is some 20 kB, and the oldest gives way
SIMULATION_HOURS = 24  # that a result is kept; who polls at all has it by then
# bytes of a result in all forms; usually 20 kB, and what was asked, decks too
MAX_SIMULATION_ANSWER = 4 * 1024 * 1024
SIMULATION_POLL_SECONDS = 2  # until a page in progress asks again

# --- rule files ---
MAX_RULE_FILE = 32 * 1024  # characters of a rule file; the games that come along take 3,000 each
# words and signs in it; the games have 1,000, and reading so many takes 20 ms
MAX_RULE_TOKENS = 6_000
# nodes above one another in a statement or function; people lose track at ten
MAX_RULE_NESTING = 40
# the same, of all functions that are under way at once; 400 calls of Python, which has 1,000
MAX_RULE_HEIGHT = 200
MAX_RULE_CALLS = 32  # functions that are under way at once; the games need four
MAX_RULE_NAMES = 100  # names of a function; each call makes room for them, and the games have ten
# of a whole number, and of one below zero; what a signed 64-bit field holds in any language
MAX_RULE_INT = 2**63 - 1
MAX_RULE_TEXT = 4096  # characters of a text
MAX_RULE_LIST = 4096  # elements of a list, tuple, dict or range; a deal has MAX_PIECES at most
RULE_LOAD_STEPS = 50_000  # that the top of a file may take, 10 ms; a list of 500 cards takes 5,000
RULE_CALL_STEPS = 12_000  # that one call may take, 2 ms; the games need 900
# regions, actions, choices, counters, marks, or values of a card; what a screen has room for
MAX_SCRIPT_NAMES = 60
MAX_SCRIPT_SEATS = 4  # own decks are for two; with one pack, what a dealing of cards is quick for
# effects between two actions, a call counts as 20, a shuffled card as one; a turn takes 200
MAX_SCRIPT_STEPS = 1000
MAX_SCRIPT_CHOICES = 1000  # possibilities of a seat at a time, legal or not; the games have 40
# times in a row that seats can do nothing; rules in which that happens have come to no end
MAX_SCRIPT_IDLE = 100
# that a choice may take before it is refused, 1 to 2 ms; the games need 1,800
SCRIPT_ENTRY_STEPS = 8_000
# of finding what one seat is offered, 0.2 s of its own program; the games need 20,000
SCRIPT_OFFER_STEPS = 1_000_000
# of judging a deck, or the cards that an entry opens, 2 ms; the games need 3,100
SCRIPT_DECK_STEPS = 15_000
# of judging at the end what hands allowed, 20 ms; the games need 25,000, long ones 60,000
SCRIPT_JUDGE_STEPS = 120_000
SCRIPT_IDLE_STEPS = 30_000  # of asking whether a seat can do nothing, 4 ms; the games need 3,500
