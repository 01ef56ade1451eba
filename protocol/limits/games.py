"""Limits of single games, with their units and reasons."""

from protocol.limits.match import MAX_PILE

# --- dominoes ---
# seats; a player alone has nobody to hide a tile from, and four use up a set of 28
MIN_DOMINO_SEATS, MAX_DOMINO_SEATS = 2, 4
DOMINO_SETS = (6, 9)  # highest number of the set: 28 or 55 tiles; both fit MAX_PILE
# hands of a match, of which each but the last may be tied or void; a usual match has ten
MAX_DOMINO_HANDS = 500
MAX_DOMINO_TARGET = 10_000  # points of a match; some hundred hands, far longer than anybody plays
# tiles of the stock that nobody may draw; published rules have none, one or two
MAX_DOMINO_RESERVE = 2
# operations that one action asks of a dealing; a hand of poker that is shown has five
MAX_OPERATIONS = 16
MAX_DRAWS = MAX_PILE  # draws in one deal: every piece once

# --- cards by residues ---
# bits of a seat's modulus; the size of RSA keys that must resist for some ten years
RESIDUE_BITS = 2048
MAX_RESIDUE_BITS = 3072  # bits of a seat's modulus, for more years of resistance
# smallest permitted bits of a modulus: can be broken in hours, so only for tests
LEAST_RESIDUE_BITS = 512
# bytes of a shuffle in one entry; a whole number of values of 512, 2048 and 3072 bits, with room
# for the rest of the entry
MAX_CHUNK = 40_704
MAX_CHUNKS = 4096  # chunks of one shuffle; 160 MB, more than any deal may take
# chunks after which a seat's time begins anew: a megabyte in the time of one step is 35 kbit/s
CHUNKS_A_STEP = 32
# bytes of a posted chunk that count as one frame: a chunk counts as 40 frames for its check, so 12
# a second may come
CHUNK_BYTES_A_FRAME = 1024

# --- poker ---
MIN_POKER_SEATS, MAX_POKER_SEATS = 2, 10  # seats; hold'em is played by up to ten, as in card rooms
# seats at five-card draw; six may take 60 cards, so discards are shuffled back, and of ten hands two
# cards would be left to exchange
MAX_DRAW_SEATS = 6
# chips that a seat starts with; each possible raise is listed as a choice: 5 ms a turn
MAX_POKER_STACK = 10_000
# bets and raises on one street, after which the only raise is all in; so a series of minimum raises
# ends
MAX_POKER_RAISES = 40
# stacks that a seat may buy in a match; a player who needs more can play another match
MAX_POKER_REBUYS = 3
MAX_POKER_HANDS = 500  # hands of a match; some hours of play

# --- Ligretto ---
MAX_LIGRETTO_SEATS = 9  # seats; each has its own deck of 40, and MAX_PIECES is nine of them
# least and most open cards of a seat; those of the published rules for four seats, and for two
LIGRETTO_ROWS = (3, 5)
MAX_LIGRETTO_TARGET = 10_000  # points of a match; a thousand rounds, far longer than anybody plays
MAX_LIGRETTO_ROUNDS = 500  # rounds of a match; some hours of play
# times that a seat may turn over its discards without a lay in between; a log must not grow while
# nobody lays
LIGRETTO_TAKE_UPS = 8
# consecutive times that one card of every hand is moved; no hand has more than 27 cards
MAX_LIGRETTO_RESCUES = 100
# rounds after the last one that is agreed, while several seats have the most points
LIGRETTO_TIE_ROUNDS = 20
# consecutive times that decks are dealt anew because of a high row; by chance once in a million
LIGRETTO_REDEALS = 20
# actions of one round, after which it is scored as if nobody could go on; usual rounds have 40 for
# each seat
MAX_LIGRETTO_ACTIONS = 20_000

# --- decks hidden from everybody but their owners ---
MAX_DECK = 120  # slots of a seat's deck; twice what such games ask for, and two decks fit a deal
# bytes of an owned card in an opening: its type with all revisions, and all trades that it went
# through; 130 gifts, or 8 trades of 64 cards
MAX_OPENED_CARD = 40 * 1024 - 64
# records of one kind in an opened card; the smallest have 146 bytes, so bytes alone bind
MAX_OPENED_RECORDS = 300
MAX_OPENING = 40 * 1024  # bytes of an opened slot: the card, the slot's number and salt
MAX_OPENINGS = 40  # slots that one action opens; a deck of forty is opened at once
# bytes of the slots that one action opens, so that the largest slot fits; the rest of an entry is
# its frame
MAX_OPENINGS_BYTES = MAX_OPENING
# bytes of records in one dispute, or in an answer; two trades of 64 cards, and 64 waives of each
MAX_DISPUTE = 40 * 1024
# records in one dispute, or in an answer; the most that fit into these bytes
MAX_DISPUTE_RECORDS = 300
# creators whose cards a match accepts, named in its terms; a row of a lobby with all has 1 kB
MAX_ACCEPTED_CREATORS = 16
# editions of cards that a match accepts, named in its terms; a block of three, and the newest set
MAX_ACCEPTED_EDITIONS = 4
# limits on values of cards, named in the terms of a match; two values, each from below and above
MAX_VALUE_LIMITS = 4

# --- games with nothing hidden ---
MAX_MATCHES = 100  # matches in the heap; some fifty moves each, and one of a hundred positions
MAX_MATCHES_TAKEN = 3  # matches taken at once; the usual rule of the game
MAX_NIM_ROWS = 10  # rows; as many as fit a screen
MAX_NIM_ROW = 20  # things in a row; as many as people count at a glance, and 200 moves to list
# columns, and rows; with one column nobody could ever win, and the name of a cell is a letter and a
# digit
MIN_HEXAPAWN, MAX_HEXAPAWN = 2, 9
MIN_CONNECT_FOUR = 4  # columns, and rows; a line of four has to fit
MAX_CONNECT_FOUR = 12  # columns; twelve columns of four rows fill the word of CONNECT_FOUR_BITS
# bits of the word that represents a board: one for each cell, and one on top of each column
CONNECT_FOUR_BITS = 64
# moves of a game of PopOut, after which nobody has won; positions may repeat, so games could go on for
# ever, and a full board of 7 by 6 has 42 stones
MAX_POPOUT_MOVES = 200

# --- verified protocols ---
DEFAULT_SESSIONS = 2  # strands of each role; nearly all known attacks need no more
# strands of each role, at most; one more makes a search seven (Denning and Sacco) to thirty (Lowe)
# times as long
MAX_SESSIONS = 6
# demands in one search, each an attempt to solve what the intruder must be able to say; half an
# hour
MAX_DEMANDS = 20_000_000
# steps of a search: equations, and terms looked for; a search takes 10 to 90 for each demand
MAX_VERIFY_STEPS = 100 * MAX_DEMANDS
# characters of a protocol's text; the longest supplied text has 5 kB with its comments
MAX_PROTOCOL_TEXT = 16 * 1024
MAX_PROTOCOL_NAME = 32  # characters of a name in a protocol; enough for people who like long names
# nesting and length of the parts of a message; Noise XX needs 12
MAX_PROTOCOL_DEPTH = 32
# names of agents; Kerberos has four, and each multiplies the cases to examine
MAX_PROTOCOL_AGENTS = 8
MAX_PROTOCOL_MESSAGES = 32  # messages that one role has from the start
MAX_PROTOCOL_STEPS = 32  # messages of one run; the longest in the literature has a dozen
MAX_PROTOCOL_GOALS = 16  # goals of a protocol; each is searched separately
# names in a protocol's text, times its sessions; six sessions of Noise XX have 894
MAX_INTRUDER_PROTOCOL = 1_000
MAX_INTRUDER_PEOPLE = 12  # honest agents in one game; attacks have two or three
# names in all that the intruder has from the start, for all agents; Andrew's calls have 108
MAX_INTRUDER_BEGINNINGS = 2_000
# values of each type that the intruder has invented; no known attack takes three
MAX_INTRUDER_INVENTIONS = 8
# characters of a message that is sent; the longest in a supplied attack has 200
MAX_INTRUDER_TEXT = 4_096
MAX_INTRUDER_NAMES = 128  # names in a message that is sent; a message of Noise XX has 32
# exponents of one exponential in a message or a protocol; two people need two
MAX_INTRUDER_EXPONENTS = 6
# names in all that strands send and claim; six sessions of Noise XX have some 700
MAX_INTRUDER_SAID = 2_000
MAX_INTRUDER_MOVES = 200  # moves offered at once; a person reads some twenty
# ways to fill the parts of one strand that are examined for offers; four parts have 1,540
MAX_INTRUDER_CASTS = 2_000
# values tried for a part of a message that may be anything; the simplest come first
MAX_INTRUDER_FILLINGS = 24
# demands (as in MAX_DEMANDS) for the offers of one strand; Kerberos takes some hundred
MAX_INTRUDER_EFFORT = 4_000
# steps to read one protocol, or to take one message: equations, and pairs of exponents; six
# sessions of Noise XX take 180, and nothing within the bounds above takes 2,000
MAX_INTRUDER_ENTRY_STEPS = 10_000
# steps of the search for all offers of a turn: 0.4 s at worst; Noise XX takes 80,000
MAX_INTRUDER_STEPS = 200_000

# --- machines that play by themselves ---
MAX_MACHINES = 10_000  # players of one simulated round; some 20 kB each
# neighbours of a player, three on each side of a ring; so the work and messages of a player do not
# grow with the number of players
MAX_NEIGHBOURS = 6
# actions of a player between two messages; then the other players of its process get their turn
MACHINES_OWN_ACTS = 64
MACHINES_READY_SECONDS = 30  # seconds until all players have their cards; processes start in one
# seconds until all players have their cards if some are on other machines, where a person has to
# start them
MACHINES_ELSEWHERE_SECONDS = 600
# seconds until a neighbour without an answer counts as lost, and the round as void; an answer takes
# milliseconds
MACHINES_ANSWER_SECONDS = 5
# seconds until all players have reported their score; a lost lay is noticed earlier
MACHINES_SCORE_SECONDS = 15
# seconds without a stop after which nobody can lay any more, if the caller sets nothing; a round
# takes some seconds
MACHINES_ROUND_SECONDS = 60
# processes of one run on one machine, besides the coordinator's; some 40 MB each
MAX_CLUSTER_PROCESSES = 64
# seconds to connect to the server, and to send the remaining bytes at the end
MACHINES_SERVER_SECONDS = 5
MACHINES_BEAT_SECONDS = 0.5  # seconds between two heartbeats of a process
# seconds without a heartbeat until the players of a process count as dead; ten heartbeats lost, or
# a machine that swaps
MACHINES_SILENT_SECONDS = 5
# seconds for a process to end by itself after the round, before it is killed
MACHINES_STOP_SECONDS = 2
