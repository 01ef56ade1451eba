"""Bounds of single games, each with its unit and its reason."""

from protocol.limits.match import MAX_PILE

# --- dominoes ---
MIN_DOMINO_SEATS, MAX_DOMINO_SEATS = 2, 4  # seats; alone nobody is there to hide a tile from; four use up a set of 28
DOMINO_SETS = (6, 9)  # highest number of the set: 28 or 55 tiles; both fit MAX_PILE
MAX_DOMINO_TARGET = 10_000  # points of a match; some hundred hands, far longer than anybody plays
MAX_OPERATIONS = 16  # that one action asks of a dealing protocol; a hand of poker shown has five
MAX_DRAWS = MAX_PILE  # draws in one deal: every piece once

# --- cards by residues ---
RESIDUE_BITS = 2048  # of a seat's modulus; what RSA keys have that must hold for some ten years
MAX_RESIDUE_BITS = 3072  # ditto, for longer
LEAST_RESIDUE_BITS = 512  # ditto, that can be asked for at all: broken in hours by whoever cares, so for tests alone
MAX_CHUNK = 40_704  # bytes of a shuffle in one entry; whole numbers of 512, 2048 and 3072 bits, and room for the rest
MAX_CHUNKS = 4096  # of one shuffle; 160 MB, more than any deal may take
CHUNKS_A_STEP = 32  # then a seat's time begins anew: a megabyte in a step's time is 35 kbit/s
CHUNK_BYTES_A_FRAME = 1024  # of a posted chunk: one counts as 40 frames for its check, 12 a second may come

# --- poker ---
MIN_POKER_SEATS, MAX_POKER_SEATS = 2, 9  # seats; at hold'em up to nine, as in card rooms
MAX_DRAW_SEATS = 6  # seats at five-card draw; seven hands of five and their exchanges would use up the pack
MAX_POKER_STACK = 10_000  # chips that a seat starts with; each possible raise is a choice to list: 5 ms a turn
MAX_POKER_RAISES = 40  # bets and raises of one street, then the only raise is all in: a war of smallest ones ends
MAX_POKER_REBUYS = 3  # stacks that a seat may buy in a match; more are another match
MAX_POKER_HANDS = 500  # hands of a match; some hours of play

# --- Ligretto ---
MAX_LIGRETTO_SEATS = 9  # seats; a deck for each, and no larger table is dealt
LIGRETTO_ROWS = (3, 5)  # least and most open cards of a seat; the published rules' for four seats, and for two
MAX_LIGRETTO_TARGET = 10_000  # points of a match; a thousand rounds, far longer than anybody plays
MAX_LIGRETTO_ROUNDS = 500  # rounds of a match; some hours of play
LIGRETTO_TAKE_UPS = 8  # times that a seat may take up its discards in vain: a log must not grow while nobody lays
MAX_LIGRETTO_RESCUES = 100  # times in a row that a card of every hand is moved; no hand has more than 27 cards

# --- decks that only their owners know ---
MAX_DECK = 120  # slots of a seat's deck: twice what such games ask for, and two of them fit a deal
MAX_DECK_TYPES = 16  # records of one card's type, revision 0 and all since; text is mended a few times
MAX_OPENING = 12 * 1024  # bytes of an opened slot; a type with all its values and text is 5 kB, a trade of 64 cards too
MAX_OPENINGS = 40  # slots that one action opens; a deck of forty is opened at once
MAX_OPENINGS_BYTES = 40 * 1024  # that one action opens; the rest of an entry is its frame
MAX_DISPUTE = 40 * 1024  # bytes of records in one dispute, or in an answer; the history of a card traded a few times
MAX_DISPUTE_RECORDS = 200  # in one dispute, or in an answer; that many in so few bytes

# --- games with nothing hidden ---
MAX_MATCHES = 100  # matches in the heap; some fifty moves each, and a position is one of a hundred
MAX_MATCHES_TAKEN = 3  # at once, as the game is played everywhere
MAX_NIM_ROWS = 10  # rows; as many as fit a screen
MAX_NIM_ROW = 20  # things in a row; as many as people count at a glance, and 200 moves to list
MIN_HEXAPAWN, MAX_HEXAPAWN = 2, 9  # columns, and rows; with one nobody could ever win; a cell is a letter and a digit
MIN_CONNECT_FOUR = 4  # columns, and rows; a line of four has to fit
MAX_CONNECT_FOUR = 12  # columns; of four rows, they fill the words
CONNECT_FOUR_BITS = 64  # of a word that holds a board: a bit for each cell, and one atop each column

# --- protocols that are verified ---
DEFAULT_SESSIONS = 2  # strands of each role; nearly all known attacks need no more
MAX_SESSIONS = 6  # ditto, at most; each more makes a search seven (Denning and Sacco) to thirty (Lowe) times as long
MAX_DEMANDS = 20_000_000  # on the intruder that a search looks at; half an hour
MAX_VERIFY_STEPS = (
    100 * MAX_DEMANDS
)  # of a search: equations, and terms looked for; searches take 10 to 90 for a demand
MAX_PROTOCOL_TEXT = 16 * 1024  # characters of a protocol's text; the longest that comes along is 5 kB with its comments
MAX_PROTOCOL_NAME = 32  # characters of a name in it; those of people who like long ones
MAX_PROTOCOL_DEPTH = 32  # of a message: parts in parts, and parts one behind another; Noise XX needs 12
MAX_PROTOCOL_AGENTS = 8  # names of agents; Kerberos has four, and every one multiplies what is tried
MAX_PROTOCOL_MESSAGES = 32  # that one role knows beforehand
MAX_PROTOCOL_STEPS = 32  # messages of one run; the longest of the literature have a dozen
MAX_PROTOCOL_GOALS = 16  # each is tried by itself
MAX_INTRUDER_PROTOCOL = 1_000  # names in a protocol's text, times its sessions; six sessions of Noise XX have 894
MAX_INTRUDER_PEOPLE = 12  # honest agents in one game; attacks have two or three
MAX_INTRUDER_BEGINNINGS = 2_000  # names in all that the intruder knows at first, of all agents; Andrew's calls have 108
MAX_INTRUDER_INVENTIONS = 8  # things of each type that the intruder has made up; no attack known takes three
MAX_INTRUDER_TEXT = 4_096  # characters of a message that is sent; the longest in an attack that comes along has 200
MAX_INTRUDER_NAMES = 128  # names in it; a message of Noise XX has 32
MAX_INTRUDER_EXPONENTS = 6  # of one exponential in it, or in a protocol; two people need two
MAX_INTRUDER_SAID = 2_000  # names in all that strands send and claim; six sessions of Noise XX have some 700
MAX_INTRUDER_MOVES = 200  # that are offered at once; a person reads some twenty
MAX_INTRUDER_CASTS = 2_000  # ways to fill the parts of one strand that are looked at for offers; four parts have 1,540
MAX_INTRUDER_FILLINGS = 24  # values tried for what may be anything in a message; the first ones are the simplest
MAX_INTRUDER_EFFORT = 4_000  # demands looked at for the offers of one strand; Kerberos takes some hundred
MAX_INTRUDER_STEPS = 200_000  # of the search for all that is offered in a turn: 0.4 s at worst; Noise XX takes 80,000

# --- machines that play by themselves ---
MAX_MACHINES = 10_000  # players of one simulated round; some 20 kB each
MAX_NEIGHBOURS = 6  # of a player, three on each side of a ring: so work and messages of one do not grow with all
MACHINES_OWN_ACTS = 64  # of a player between two messages, then the others of its process get their turn
MACHINES_READY_SECONDS = 30  # until all players have their cards; processes start in one
MACHINES_ELSEWHERE_SECONDS = 600  # ditto if some are on other machines, where a person has to start them
MACHINES_ANSWER_SECONDS = 5  # of a neighbour, then it is lost and the round void; an answer takes milliseconds
MACHINES_SCORE_SECONDS = 15  # until all players have said what they have; a lay that is lost comes to light before
MACHINES_ROUND_SECONDS = 60  # without a stop, when nobody says, then nobody can lay any more; a round takes some
MAX_CLUSTER_PROCESSES = 64  # of one run on one machine, beside the coordinator's; some 40 MB each
MACHINES_SERVER_SECONDS = 5  # to connect to the server, and for what is still to go out at the end
MACHINES_BEAT_SECONDS = 0.5  # between two signs of life of a process
MACHINES_SILENT_SECONDS = 5  # without one, then its players count as dead; ten of them lost, or a machine that swaps
MACHINES_STOP_SECONDS = 2  # for a process to end by itself when the round is over, then it is killed
