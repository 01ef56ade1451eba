"""Limits of computations: searches, simulations, rule files, with their units and reasons."""

# --- search ---
# moves ahead, after which the value is estimated; each takes up to four calls, and Python allows
# 1,000 with the caller's
MAX_SEARCH_PLIES = 160
# positions in a table, separately for each seat to move, or stored in all; some 600 bytes each
MAX_SEARCH_TABLE = 1_000_000
SEARCH_NODES = 1_000_000  # nodes that a search visits by default; ten seconds
MAX_SEARCH_NODES = 1_000_000_000  # nodes that a search may be asked to visit; three hours
SEARCH_GAMES = 10_000  # games that Monte-Carlo search plays by default; a second
# games that Monte-Carlo search may be asked to play; each stores a node of 300 bytes to 2 kB
MAX_SEARCH_GAMES = 1_000_000
SEARCH_DEPTH = 4  # default moves ahead of a search that estimates the value there; two of each side
MAX_DRAWN_NODES = 20_000  # nodes of a search whose tree is drawn; each is stored
MAX_DRAWN_ROWS = 300  # rows of a drawn tree; a metre of paper
MAX_DRAWN_LABEL = 24  # characters of a move in a drawn tree, so that columns stay readable
HINT_NODES = 200_000  # nodes that a hint visits for all moves together; two seconds
BOT_NODES = 20_000  # nodes that a bot visits for a move by default; a quarter of a second
# nodes that a bot lets a game's own solver visit first by default; two seconds in Python
BOT_SOLVER_NODES = 1_000_000
# nodes that a bot may be asked to visit; a minute, half of the usual time of a turn
MAX_BOT_NODES = 5_000_000
BOT_GAMES = 2_000  # random games that a bot plays for a move by default; a quarter of a second
MAX_BOT_GAMES = 500_000  # random games that a bot may be asked to play; a minute
SEARCH_STOP_NODES = 256  # nodes between two checks for a stop; 3 ms
# nodes between two checks for a stop in the solver of Connect Four; 10 ms in Python, 1 ms compiled
SOLVER_STOP_NODES = 4096
# positions in the solver's table, after which the table is cleared; 100 bytes each
MAX_SOLVER_TABLE = 1 << 20

# --- simulation of Ligretto ---
SIMULATED_ROUNDS = 1_000  # rounds that are simulated by default; a second in Python
# rounds that may be asked for; ten minutes in Python with four seats
MAX_SIMULATED_ROUNDS = 1_000_000
MAX_SIMULATED_SEATS = 100  # seats of a table in a model; nobody's arms are longer
# largest time in a model, in its own unit; longer times have no new effect
MAX_SIMULATED_TIME = 1_000_000
# card moves without a lay in between in one round; a hand of 27 returns to its old state in fewer
MAX_SIMULATED_RESCUES = 1_000
# the largest whole number that every reader of JSON reads exactly
MAX_SIMULATED_SEED = 2**53 - 1
# bytes of a file of decks; 10,000 decks have 1.2 MB, with spaces twice that
MAX_DECKS_FILE = 4 * 1024 * 1024
MAX_SIMULATION_BODY = 256 * 1024  # bytes of a request to a service; 1,000 decks have 120 kB
# connections at once, of which the oldest is closed first; a poll takes one for a moment
MAX_SIMULATION_CONNECTIONS = 64
SIMULATION_SECONDS = 60  # seconds that a service gives to one simulation by default
# seconds that a service may be configured to give; its queue waits as long
MAX_SIMULATION_SECONDS = 24 * 3600
SIMULATION_MEMORY_MIB = 2048  # MiB that a service's worker may take; 10,000 players take a tenth
# requests in a service's queue; the last one waits at most a quarter of an hour
MAX_SIMULATIONS_WAITING = 16
# results that a service stores, of which the oldest is deleted first; some 20 kB each
MAX_SIMULATIONS_KEPT = 256
SIMULATION_HOURS = 24  # hours for which a result is stored; a client that polls has it by then
# bytes of a result in all formats; usually 20 kB, plus the request with its decks
MAX_SIMULATION_ANSWER = 4 * 1024 * 1024
SIMULATION_POLL_SECONDS = 2  # seconds until a progress page polls again

# --- rule files ---
# bytes of a rule file in UTF-8; the rules of a supplied game take 3,000, and its texts in two
# languages 8,000
MAX_RULE_FILE = 32 * 1024
# bytes of the record that signs a rule set; with the longest name it has 260
MAX_RULE_SET_RECORD = 300
# texts of signed rule sets stored for one author; an author of five games with three editions each
MAX_RULE_SETS_STORED = 16
# rule sets of one author whose numbers are remembered after their texts are gone; 60 kB
MAX_RULE_SETS_KNOWN = 256
# rule sets stored of authors whom the person does not trust, of which the oldest goes first; 2 MB
MAX_STRANGE_RULE_SETS = 64
# times that a visit asks a table for one rule file; the first answer may be on its way elsewhere
RULE_SET_ASKS = 2
# rule files that a visit asks a table for each time it lists its tables; a page looks every four
# seconds, and a table answers four requests a second in the long run
RULE_SET_ASKS_A_LOOK = 6
# characters that people read of what a rule set says of itself before it runs; five lines
MAX_RULE_SET_ABOUT = 400
# words and signs in a rule file; the supplied games have 1,000, and this many take 20 ms to read
MAX_RULE_TOKENS = 6_000
# nested nodes in a statement or function; people lose track at ten
MAX_RULE_NESTING = 40
# nested nodes of all functions in progress at once; 400 calls of Python, which allows 1,000
MAX_RULE_HEIGHT = 200
MAX_RULE_CALLS = 32  # functions in progress at once; the supplied games need four
# names in a function; each call reserves memory for them, and the supplied games have ten
MAX_RULE_NAMES = 100
# absolute value of a whole number; what a signed 64-bit field can represent in any language
MAX_RULE_INT = 2**63 - 1
MAX_RULE_TEXT = 4096  # characters of a text
MAX_RULE_LIST = 4096  # elements of a list, tuple, dict or range; a deal has at most MAX_PIECES
# steps for the top level of a rule file, 10 ms; a list of 500 cards takes 5,000
RULE_LOAD_STEPS = 50_000
RULE_CALL_STEPS = 12_000  # steps for one call, 2 ms; the supplied games need 900
# regions, actions, choices, counters, marks, or values of a card; what fits a screen
MAX_SCRIPT_NAMES = 60
# languages of the texts of a rule file; the supplied ones have two, of 4,000 characters each
MAX_SCRIPT_LANGUAGES = 8
MAX_SCRIPT_HOLES = 8  # holes in a sentence; more is no sentence any more
MAX_SCRIPT_FORMS = 20  # forms of a sentence for single numbers, as the names of twelve months
MAX_SCRIPT_WORDS = 500  # words in one language: those of MAX_PIECES cards, and some for the rest
MAX_SCRIPT_WORD = 60  # characters of a word; the longest that fits beside a card
MAX_SCRIPT_SAID = 40  # sentences for what the rules say; the supplied games have five
MAX_HELP_BLOCKS = 60  # headings, paragraphs, items and rows of cards of a help text
MAX_HELP_BLOCK = 800  # characters of a paragraph; ten lines on a terminal
MAX_HELP_TEXT = 8_000  # characters of a help text; three screens
MAX_HELP_CARDS = 12  # cards in a row of an example; a hand
# seats; games with own decks are for two, and a dealing of cards is fast enough for four with one
# pack
MAX_SCRIPT_SEATS = 4
# effects between two actions, where a call counts as 20 and a shuffled card as one; a turn takes
# 200
MAX_SCRIPT_STEPS = 1000
# possible choices of a seat at a time, legal or not; the supplied games have 40
MAX_SCRIPT_CHOICES = 1000
# effects that wait at once, with their arguments: 1 for each, and 1 for each number, name and 16
# characters of a text in them; half a megabyte. To lay out 360 cards one by one takes 2,600
MAX_SCRIPT_QUEUE = 8_000
MAX_SCRIPT_MARKS = 1_440  # marks on all cards together; four on each of MAX_PIECES
# actions that are to be judged at the end: for each, the least number of steps that it takes then,
# and the cards of the hand; 4 MB. Matches of the supplied games have 7,000
SCRIPT_NOTED_SIZE = 60_000
# actions of a game by a rule file, steps of programs included; the supplied games have some hundred,
# and rules that need more never end
MAX_SCRIPT_ACTIONS = 5_000
# consecutive times that seats can do nothing; rules where this happens never end
MAX_SCRIPT_IDLE = 100
# steps after which a choice is refused, 1 to 2 ms; the supplied games need 1,800
SCRIPT_ENTRY_STEPS = 8_000
# steps to compute the offers of one seat, 0.2 s in its own program; the supplied games need 20,000
SCRIPT_OFFER_STEPS = 1_000_000
# steps to judge a deck, or the cards that an entry opens, 2 ms; the supplied games need 3,100
SCRIPT_DECK_STEPS = 15_000
# steps to judge at the end whether hands allowed the actions, 20 ms; the supplied games need
# 25,000, long ones 60,000
SCRIPT_JUDGE_STEPS = 120_000
# steps to find out whether a seat can do nothing, 3 ms; the supplied games need 3,500, and one
# choice that is too costly takes 20,000
SCRIPT_IDLE_STEPS = 24_000
