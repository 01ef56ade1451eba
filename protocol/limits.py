"""Every bound in one place, with its unit and its reason."""

# --- frames (bytes) ---
FRAME_HEADER = 4  # big-endian length
MAX_HANDSHAKE_FRAME = 512  # a Noise XX message with an identity payload is under 300
MAX_FRAME = 65_535  # Noise's own limit for a transport message
MAX_MESSAGE = MAX_FRAME - 16 - 1  # less the AES-GCM tag and the record type

# --- encoding ---
MAX_DEPTH = 8  # nesting of lists; the deepest message of ours, a listing, needs 7
MAX_INT = 2**63 - 1  # what a signed 64-bit field holds in any language
MAX_SMALL = 2048  # bytes of a value that the library may decode; nested heads of lists cost it 0.1 ms at most
MAX_SMALL_LIST = 64  # items of a list in such a value; what it sets aside before it reads any

# --- tables ---
MAX_SEATS = 9  # hold'em is played by up to nine; more seats make dealing slow
MAX_PIECES = 360  # that are dealt or asked for at once: nine own decks of 40 cards
MAX_LOOSE = 1024  # loose cards of one deal: nine decks of 100, and tokens
MAX_SEEDED_STEPS = 10_000  # cards drawn or shown, and times some were hidden, in one deal; a long match has a thousand
MAX_PILE = 208  # pieces that are shuffled as one: four packs of cards, whose proof still fits an entry
MAX_NAME = 24  # characters of a player's or table's name; fits a column on a terminal
MAX_ENTRY = 48 * 1024  # bytes of one encoded entry; the largest (a proven shuffle of MAX_PILE cards) is 40 kB
MAX_VALUE = 40  # characters of an option's value
MAX_OPTIONS = 8  # options of a game or a dealing protocol
MAX_RULES = 64  # characters of a rules version; a SHA-256 in hexadecimal digits
MAX_TABLES_LISTED = 200  # rows of a lobby listing; 200 rows of 4 seats stay under a frame
MAX_ENVELOPE = 16 * 1024  # bytes of a sealed envelope; 208 slot keys are 6.7 kB
FULL_LOG = 192 * 1024 * 1024  # bytes of entries, then no shuffle begins that takes much; the rest of a match is 10 MB
MAX_LOG_FILE = 256 * 1024 * 1024  # bytes of a log file; 500 hands dealt in the slowest way there is take 220 MB

# --- the clock of a match ---
DEFAULT_STEP_SECONDS = 300  # for an entry that a program posts by itself; a laptop may be restarted in between
DEFAULT_TURN_SECONDS = 120  # for a move; the longest that people like to look at somebody thinking
DEFAULT_EXTENSIONS = 3  # of a turn, for every seat in a match; the telephone rings now and then
MAX_CLOCK_SECONDS = 30 * 24 * 3600  # of a step or a turn; a move a month is a game by letters
MAX_EXTENSIONS = 100  # for every seat in a match; more of them are the same as a longer turn
WARNING_SECONDS = 10  # that a seat has left when it is warned, or half its time if that is less; enough to choose
CLOCK_TOLERANCE_SECONDS = 2  # that a seat may have seen less than the table claims; two entries travel unequally
SLOW_SECONDS = 30  # of a step of a deal, or a tenth of what it may take if that is more: then it was a slow one
MAX_SLOW_STEPS = 8  # of a seat in a deal; then a step may take no longer than that: all the steps of a hand of hold'em
CLOCK_DRIFT_PERCENT = 10  # of a wait that a doubt allows two clocks to differ; real ones differ by a thousandth
MAX_LAPSES = 3  # turns of a seat that lapse one after the other; the last counts as leaving, nobody plays there
MAX_LEVEL = 500  # milliseconds that all round trips are made to take; who is farther away cannot race anybody

# --- round trips, where seats act independently ---
PING_SECONDS = 2.0  # between two questions that measure a seat's round trip, and what all are told of it
TRIP_SECONDS = 30.0  # for which the smallest that was measured counts, twice that at most: lines change
MAX_TRIP = 60_000  # milliseconds of a round trip that is told; nobody plays over a minute
MAX_TIMED = 256  # entries for which it is remembered when a seat was sent them; some seconds of a busy match
MAX_HELD = 16  # entries of one seat that are held at once to level round trips; honest programs have one under way

# --- two people without a table ---
MAX_PARCEL = 1024 * 1024  # bytes of a parcel; a turn at a verified deal of 52 cards is under 100 kB
MAX_PARCEL_ENTRIES = 4096  # entries in a parcel; a turn has a dozen, a match sent again from its beginning hundreds
MAX_MAIL = 2 * 1024 * 1024  # bytes of a mail that is looked into; a parcel is 1.4 MB of base64, mail servers add a page
MAX_MAIL_PARTS = 64  # parts of a mail that are looked at; mailing lists add two or three
MAX_MAIL_MULTIPARTS = 16  # times that "multipart/" stands in a mail; each costs a look in every line, three are usual
MAX_MAIL_HEADER = 2048  # bytes of a header, with the lines that it goes on in; a letter's longest has some 200
MAX_MAIL_HEADERS = 1000  # lines of a mail that look like headers, in all of its parts; mail servers add some 30
MAX_MAIL_ADDRESS = 254  # characters of a mail address; RFC 5321 allows no more
MAX_MAILS = 10_000  # mails of one mailbox that are looked at; more are a person's life, not a game
MAX_LETTERS_HELD = 64 * 1024 * 1024  # bytes of letters that are read at once; the next reading takes the others
MAX_INVITATIONS = 100  # by mail, that a person has not answered; more are somebody's joke
MAX_GUESTS = 16  # connections at once to who waits for one other player; the rest are knocks on the wrong door

# --- lines between two people ---
MAX_WAYS = 8  # addresses that one side names; a laptop with a cable, Wi-Fi and a tunnel has six, half of them IPv6
MAX_WAYS_CALLED = 32  # different ones that are called in a match or trade; people change networks a few times
LINE_PORTS = (1024, 65_535)  # ports that are called when a peer names them; below are services of the system
MAX_LINES = 4  # that stand at once between two; two that are direct and one through a table are all that is of use
MAX_RUNS = 16  # earlier runs of the other program that are remembered: what is left of them does not take over again
LINE_BEAT_SECONDS = 1  # of silence, then something is said: five may be lost before a line counts as silent
LINE_SILENT_SECONDS = 5  # without a word, then the next line is used; a mobile line's gap is usually under that
LINE_KEPT_SECONDS = 60  # that a silent line is kept, should it come back; TCP tries again for longer
LINE_TRIES = 8  # times that an address is called which a peer has named and which never answers; a firewall stays
LINE_PAUSES = (0.2, 30)  # seconds between two rounds of calls, doubled each time; nobody's address book is knocked at
MAX_LINE_PART = MAX_MESSAGE - 64  # bytes of a numbered part; beside it stand a name and two numbers
MAX_UNHEARD = 16 * 1024 * 1024  # bytes that the other side has not confirmed; whole collections are merged

# --- found on the local network ---
MAX_FOUND = 64  # announcements that are listed; more are no living room but somebody's joke
FIND_SECONDS = 3  # that is listened for announcements; they come in one or two
MAX_LAN_TEXT = 200  # bytes of what one announcement says; it is read by everybody on the network
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
MAX_PROTOCOL_TEXT = 16 * 1024  # characters of a protocol's text; the longest that comes along is 5 kB with its comments
MAX_PROTOCOL_NAME = 32  # characters of a name in it; those of people who like long ones
MAX_PROTOCOL_DEPTH = 32  # of a message: parts in parts, and parts one behind another; Noise XX needs 12
MAX_PROTOCOL_AGENTS = 8  # names of agents; Kerberos has four, and every one multiplies what is tried
MAX_PROTOCOL_MESSAGES = 32  # that one role knows beforehand
MAX_PROTOCOL_STEPS = 32  # messages of one run; the longest of the literature have a dozen
MAX_PROTOCOL_GOALS = 16  # each is tried by itself
MAX_INTRUDER_MOVES = 200  # that are offered at once; a person reads some twenty
MAX_INTRUDER_CASTS = 2_000  # ways to fill the parts of one strand that are looked at for offers; four parts have 1,540
MAX_INTRUDER_FILLINGS = 24  # values tried for what may be anything in a message; the first ones are the simplest
MAX_INTRUDER_EFFORT = 4_000  # demands looked at for the offers of one strand; Kerberos takes some hundred
MAX_INTRUDER_PEOPLE = 12  # honest agents in one game; attacks have two or three
MAX_INTRUDER_BEGINNINGS = 5_000  # things that the intruder knows at first, of all agents; Kerberos has 40
MAX_INTRUDER_EXPONENTS = 6  # of one exponential that is sent; two people need two, and all subsets are looked at
MAX_INTRUDER_INVENTIONS = 8  # things of each type that the intruder has made up; no attack known takes three

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

# --- layered dealing (counts) ---
FREE_ROUNDS_PER_PIECE = 4  # rounds of selection, per piece, before taking is no chance: 2^-20 need more, with p >= 1/2

# --- identity files ---
KEYFILE_OPS = 3  # passes of argon2id: libsodium's "moderate"
KEYFILE_MEMORY = 256 * 1024 * 1024  # bytes of argon2id: libsodium's "moderate", about a second on a laptop
MIN_KEYFILE_OPS, MAX_KEYFILE_OPS = 1, 16  # a file that asks for more would only stall whoever opens it
MIN_KEYFILE_MEMORY, MAX_KEYFILE_MEMORY = 8 * 1024 * 1024, 1024 * 1024 * 1024  # bytes; ditto
MAX_KEYFILE = 1024  # bytes of an identity file; a real one is under 400

# --- table talk ---
MAX_SAY = 200  # characters of one remark; three lines on a terminal
SAY_PADDED = 1024  # bytes that every sealed remark is padded to: 200 characters of 4 bytes, counter and framing
TALK_ENVELOPE = 1076  # bytes of every envelope of talk: that, with salt, length and tag; longer ones only fill queues
RELAYS = (8, 0.5)  # of one seat to another at once, and a second in the long run; a remark takes seconds to type

# --- table manager: connections ---
MAX_CONNECTIONS = 2_048  # connections at once; about 20 kB each when idle
MAX_PER_ADDRESS = 64  # connections of one IPv4 address or IPv6 /64; a class of pupils behind one router
MAX_HALF_OPEN = 128  # connections that have not said hello; the oldest of the address with most of them gives way
MAX_HALF_OPEN_PER_ADDRESS = 32  # ditto of one address, where the oldest gives way; half a class arriving at once
ARRIVALS_PER_ADDRESS = (512, 32)  # new connections at once, and a second in the long run; a handshake takes 0.8 ms
ARRIVALS = (1_024, 256)  # ditto from all addresses; a fifth of one core
MAX_ADDRESSES_KEPT = 16_384  # addresses (or identities) whose arrivals are remembered; about 4 MB
ACCEPTS_PER_TURN = 8  # connections accepted before those who are here get their turn; a refusal takes 20 us
LISTEN_BACKLOG = 256  # connections that the system keeps waiting for us: a class arriving at once, four times over
ACCEPT_RETRY_SECONDS = 1  # after the system had no descriptor or memory for a connection
HANDSHAKE_SECONDS = 10  # for handshake and hello together, not for each read; a slow mobile line needs 3
FRAMES = (1_000, 500)  # from one connection at once, and a second in the long run; bots send 200
FRAMES_PER_ADDRESS = (16_000, 4_000)  # ditto from one address; a class of pupils in the middle of a deal, all at once
MAX_REPEATS = 3  # times that a player sends a legal entry again which the table refused; then it stops, and stays
MAX_REFUSALS_WAITING = 64  # refusals that wait until their author has read the log so far; honest programs have one
REFUSED_COSTS = 25  # frames that an entry counts as which is refused: a signature was checked for nothing
ENTRY_FREE = 1024  # bytes of a posted entry that count as one frame; a hop, a move or ten proven shares are less
BYTES_A_FRAME = 32  # of what an entry has above that; a proven shuffle of 52 cards counts as 290 frames for its check
FRAME_SECONDS = 30  # for a frame that has begun to be there whole, not for each read; the largest takes 25 at 20 kbit/s
SPARE_DESCRIPTORS = 32  # file descriptors kept for the journal, exported logs and the interpreter
MAX_PROXY_HEADER = 4_096  # bytes of a PROXY header; its addresses take 52, what proxies say of certificates hundreds
MAX_UPGRADE = 16_384  # bytes of the request that opens a WebSocket; browsers and proxies add no more than 8 kB to one
READ_CHUNK = 64 * 1024  # bytes taken from one peer before the others get their turn; one whole frame
HIGH_WATER = 128 * 1024  # bytes queued for one peer before nothing more is fetched for it; two chunks, one may go out
MAX_UNSENT = 12 * 1024  # bytes of a peer's that the system holds and has not sent; talk ahead of an entry: see next
MAX_TALK_QUEUED = 12 * 1024  # bytes queued here, then talk is dropped; with those 10 s at 20 kbit/s, as WARNING_SECONDS
MAX_QUEUED = 1024 * 1024  # bytes queued for one peer; a log in chunks and all the talk there can be stay under this
MAX_QUEUED_IN_ALL = 64 * 1024 * 1024  # bytes queued for all peers; then the one with most is cut off
STALL_SECONDS = 20  # a peer that has taken nothing for so long is cut off; a mobile line's gap is under 10
CLOSE_SECONDS = 1.5  # to read our close record before the connection is dropped; two seconds are left to stop
KEEPALIVE_SECONDS = 60  # of silence before TCP asks whether the peer is still there

# --- table manager: lobby and matches ---
MAX_TABLES = MAX_TABLES_LISTED  # tables at once; all of them are listed
MAX_TABLES_PER_IDENTITY = 4  # tables created by one identity at once
REQUESTS = (64, 4)  # lobby requests of one identity at once, and a second in the long run; a person makes one
REQUESTS_PER_ADDRESS = (512, 32)  # ditto of one address; a listing of all tables costs 3 ms
MAX_SPECTATORS = 64  # of one match; each entry is sealed anew for each of them
PRESENCE_SECONDS = 3.0  # until the table says who has come or gone; a line that flaps is no news, and no flood
PRESENCE_NEWS_SECONDS = 30.0  # between two lines about that on a screen, whatever a table says: there talk would go
GOODBYE_SECONDS = 10  # after a match for a party to ask for what it has not read, and then to take more of it
MAX_PAST_MATCHES = 32  # places to look back at matches that are over; 10 MB of logs, who holds many gives way
MAX_JOURNAL_MIB = 1024  # MiB of finished matches in the journal; the oldest go once they are files: strangers play too
MAX_LOGS_MIB = 4096  # MiB of log files of matches that are over; the oldest go, every player has a copy of its own
RETURN_SECONDS = 120  # after a restart, before tables that somebody created who is not back are taken away
HOST_STALE_SECONDS = 2  # without a word of the store, before nothing is refused: others may claim after 3 s of silence
JOURNAL_RETRY_SECONDS = 2  # between attempts to write a journal whose disk refused; a person frees space in minutes
# --- meeting at a table ---
MAX_PRESENT = 200  # people who are seen in a lobby at once; all in one message, and nobody reads more names
PEOPLE_SECONDS = 1.0  # between two messages about who comes and goes; whoever flaps is no flood
APPEARS = (16, 0.2)  # times that an identity may appear or want something else at once, and a second; lines on screens
LOBBY_TALK = (3, 1)  # remarks of one identity at once, and a second in the long run; nobody types faster
LOBBY_TALK_PER_ADDRESS = (12, 4)  # ditto of one address; a class talking
LOBBY_TALK_IN_ALL = (32, 8)  # ditto of all; each is sealed for MAX_PRESENT people, and nobody reads faster
CALLS = (8, 0.5)  # invitations and pipes that one identity asks for at once, and a second in the long run; a person's
CALLED = (16, 1)  # ditto, that one identity is told of; a person answers one in some seconds
MAX_CALLS_SHOWN = 16  # invitations that a screen keeps, the oldest goes; nobody weighs more
MAX_IGNORED = 1_000  # keys that a person ignores; the oldest goes: a flood of new keys is the host's to stop
MAX_MUTED_FILE = 64 * 1024  # bytes of a host's list of muted people; a thousand of them
MAX_PIPES = 128  # between people at one table; with their windows 8 MB, who holds many gives way
MAX_PIPES_OF_ONE = 4  # pipes that one connection has or asks for; a match and a trade, and two with others
MAX_PIPE_DATA = 8 * 1024  # bytes of one message through a pipe: others get their turn between two of them
PIPE_OVERHEAD = 64  # bytes of its window that a message takes beside its data: that is what it takes elsewhere
PIPE_WINDOW = 32 * 1024  # bytes under way in a pipe, each way; 0.2 s at the rate below, 13 s at 20 kbit/s
PIPE_BYTES = (256 * 1024, 64 * 1024)  # of one identity through pipes at once, and a second; a match needs 5 kB a second
PIPE_BYTES_IN_ALL = (4 * 1024 * 1024, 1024 * 1024)  # ditto of all: eight megabit a second, and a tenth of one core
PIPE_ASK_SECONDS = 60  # that a pipe is asked for, then it is not wanted; a person looks up from the screen in less
PIPE_STALL_SECONDS = 60  # without a byte of it read, then a pipe is closed; a window takes 13 s on a slow line
MAX_PIPE_QUEUED = 4 * 1024 * 1024  # bytes that one's own program wants to send; four of the largest parcels

# --- the page of a player's own program ---
PAGE_TICKET_SECONDS = 120  # that a link is good for; a browser opens in seconds, a person copies a link in less
MAX_PAGE_TICKETS = 4  # links that are not used yet; whoever asks for more has lost the first ones
MAX_PAGE_TOKENS = 16  # pages that were let in, the oldest gives way; people have two or three tabs
MAX_PAGE_CONNECTIONS = 16  # at once; a page has one for the stream, and browsers six at most for all the rest
MAX_PAGE_HEADERS = 16 * 1024  # bytes of a request's line and headers; browsers send one or two
MAX_PAGE_BODY = 4 * 1024  # bytes of a request's body; the longest is a remark, or a table with all its options
MAX_PAGE_LOG = 1024 * 1024  # bytes of a log that is compared on the page; longer ones `fairdeal compare` takes
PAGE_SECONDS = 30  # for a request to be there whole; it comes from this machine
PAGE_BEAT_SECONDS = 5  # of silence on the stream, then something is said: a page knows what is lost, and time passes
PAGE_GOODBYE_SECONDS = 1  # that a program which ends waits for its pages to have heard it; one that sleeps never does
PAGE_LOOK_SECONDS = 4  # between two looks at which tables there are; a table answers four a second
PAGE_READ_SECONDS = 0.25  # of a long log that is replayed, then the page is answered; a frame waits so long at most
MAX_PAGE_NEWS = 256  # deeds and talk that wait for a page; a tab that slept asks for the deeds, old talk is gone

# --- whether seats fared alike ---
FAIRNESS_TRIES = 999  # that values are dealt out anew, to see what chance does; p-values down to a thousandth
FAIRNESS_ENOUGH = 20  # of those that are as uneven as what was found, then p is known well enough: to a fifth of it
FAIRNESS_SAMPLE = 5_000  # attempts that are compared, drawn from more; two seconds at worst, and 2 % of them show
FAIRNESS_DOUBT = 0.01  # the p-value below which a sentence says so; of two, one or two honest matches in 100 have one
FAIRNESS_LEAST = 8  # times that are compared with as many others, at least; fewer say nothing at this p-value
FAIRNESS_STRETCH = 32  # entries in which two clocks drift apart by nothing: a few seconds, and some millionths of these
FAIRNESS_LATER_MS = 15  # milliseconds later, then a sentence says so; a program that is busy just then is later by less

# --- cards ---
MAX_RECORD = 64 * 1024  # bytes of a record; the largest, a run of 512 types, is 20 kB
MAX_TRANSFERS = 64  # cards of one trade; a whole deck, and a trade of 5 kB
MAX_WITNESSES = 9  # that a creator names; two of them may lie, and seven agree
MAX_CARD_NAME = 60  # characters of a card type's name, a creator's, or that of rules; a line on the card
MAX_EDITION = 40  # characters of an edition's name
MAX_CREATOR_LINK = 200  # characters of where a creator's news can be fetched
MAX_CARD_TEXT = 600  # characters on a card; what fits its lower half
MAX_CARD_VALUES = 32  # values of a card type, or that rules ask for; printed cards have some ten
MAX_CARD_KEY = 40  # characters of a value's key
MAX_CARD_VALUE = 100  # characters of a value that is a text; a word or two
MAX_RUN_TYPES = 512  # card types of one run; large printed editions have 300
MAX_STATEMENT = 16 * 1024  # bytes of what a witness said, in a proof that it lied; a path of 256 hashes is 9 kB
MAX_WITNESS_RECORDS = 200_000  # that a witness keeps for its own words; some 500 MB, and a minute to read them again
MAX_RECORD_SENT = 48 * 1024  # bytes of a record that a witness takes: it fits a message; a run of 512 types is 20 kB
MAX_WITNESS_SENT = 64  # records in a message to a witness; to check their signatures takes 6 ms
MAX_WITNESS_ASKED = 1024  # records that a witness is asked about at once; 34 kB
MAX_WITNESS_POOL = 4 * 1024 * 1024  # bytes of records that wait for somebody's next offer; some 12,000 trades
MAX_WITNESS_POOLED = 64 * 1024 * 1024  # bytes of those of all together
MAX_WITNESS_JUDGED = 20_000  # records of a history that is worked out anew for an offer; half a second
JUDGED_A_FRAME = 4  # of those, that count as one frame: 25 us each
RECORD_COSTS = 2  # frames that a record to a witness counts as: two signatures are checked
MAX_PACK = MAX_TRANSFERS  # cards of a pack: it is handed over by one trade
MAX_RUN_CARDS = 65_536  # cards of one run; signed in three seconds, and its opening is a file of 2.3 MB
MAX_RUN_PACKS = 8192  # sealed packs of one run; a bit for each stands in the terms of every sale: 1 kB
MAX_RUN_OPENING = 4 * 1024 * 1024  # bytes of the file that opens a whole run: 34 for each card, 38 for each pack
MAX_TERMS = 16 * 1024  # bytes of a sale's terms: those bits, and 63 cards that are paid, 105 bytes each
MAX_UPDATE = 16 * 1024 * 1024  # bytes of what a creator's link leads to; 50 types with faces are 200 kB
UPDATE_SECONDS = 30  # for all of it, then the link counts as dead
MAX_UPDATE_RECORDS = 20_000  # records in it; two years of a busy creator's trades
MAX_SHELF = 32  # runs that a creator has on sale at once; more are a shop that nobody reads to its end
MAX_SALE_IMAGE = 48 * 1024  # bytes of an image that comes with a pack: one message; larger ones come by files
SALE_SECONDS = 60  # from a sale's terms to its end; programs take milliseconds, and nobody else can buy meanwhile
MAX_SALES_ASKED = 256  # of one visit: packs, merges and unfinished trades; each costs the creator a write

# --- what people hold of the ledger, and merge ---
MAX_ORPHANS = 10_000  # records held whose parents are missing, and both halves of what names a cheat; some 4 MB
MAX_WAIVES_UNKNOWN = 32  # of a slot, of trades that are not known, that go along with its card; honest people have one
MAX_CARD_IMAGE = 256 * 1024  # bytes of an image; a drawing is 4 kB, a photograph of a card 100
MAX_FACE_POINTS = 4 * 1024 * 1024  # of a picture on the page, width by height; 16 MB in a browser, a phone has 3
MAX_BUNDLE = 128 * 1024 * 1024  # bytes of a file of records and images; all that a player keeps is half of it
MAX_BUNDLE_RECORDS = 200_000  # records in it; so many trades are 72 MB
MAX_BUNDLE_IMAGES = 10_000  # images in it; a creator's life
MERGE_PARTS = 16  # that a range is split into; a level of them costs 16 times 30 bytes, and two levels a round trip
MERGE_LIST = 32  # records of a range, then it is split; fewer are listed, which is 250 bytes at most
MERGE_MESSAGE = 60_000  # bytes of items in a message of a merge; with what wraps it, one frame
MERGE_WANTS = 2048  # records that a side asks for in a turn; trades of two cards are then 0.7 MB
MAX_MERGE_RECORDS = 100_000  # records that a side takes in a session; the next one brings the others
MAX_MERGE_BYTES = 64 * 1024 * 1024  # bytes of these; from three quarters of it on no more is asked for
MAX_MERGE_LISTED = 32 * 1024 * 1024  # bytes of all else that it takes in; to list four million records takes as much
MAX_MERGE_COMPARISONS = 24  # turns of the other side with ranges; two of them divide what is unequal by 16
MERGE_IMAGES = 64  # images asked for at once; the faces of an edition
MAX_MERGE_IMAGES = 1_000  # that the other side may ask for in a session; those of twenty editions
MAX_UNTRUSTED = 1_000  # records of a creator who is not trusted that a session takes, beside what is on the table
# --- trading of cards ---
MAX_OFFER = MAX_TRANSFERS  # cards that one side offers, or wishes for, at once; no trade takes more
MAX_ALARMS_SENT = 1024 * 1024  # bytes of what names cheats that go with a letter, or with cards in a file: 1,500
MAX_TRADE_LETTER = 16 * 1024 * 1024  # bytes of a letter of a trade, with all that its cards rest on: 30,000 trades
MAX_TRADE = 8 * 1024  # bytes of a trade's content, or of a waive; 64 cards that were traded before take 7 kB
MAX_TRADE_OVERHEAD = 128  # bytes of a payload around what is merged: salt, number, name, two revisions
MAX_TRADE_IMAGES = 16 * 1024 * 1024  # bytes of images that a session brings a side, and one more; a large edition's
MAX_TRUSTED_TOLD = 64  # creators that one says one trusts; few people collect from more
MAX_OFFERS = 1_000  # changes of one side's offer in a session; for each the two compare what they know
MAX_PROPOSALS = 1_000  # of one side in a session; people haggle some ten times
MAX_UNFINISHED = 8  # trades that the other has signed and nobody here has answered; each is a question to a person
MAX_TRADE_EVENTS = 10_000  # that wait for the screen; it takes them with every message
MAX_LEDGER_STORED = 64 * 1024 * 1024  # bytes of records and images on disk, but for one's own cards; 150,000 trades
# --- search ---
MAX_SEARCH_PLIES = 160  # moves ahead, then a guess; each is up to four calls, and Python allows 1,000 with the asker's
MAX_SEARCH_TABLE = 1_000_000  # positions in a table, for each seat to move, or that are all kept; some 600 bytes each
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
BOT_SOLVER_NODES = 1_000_000  # that it lets a game's own solver look at first, when nobody says; two seconds in Python
MAX_BOT_NODES = 5_000_000  # that it may be asked to look at; a minute, half of the time that a turn usually has
BOT_GAMES = 2_000  # that a bot plays at random for a move when nobody says; a quarter of a second
MAX_BOT_GAMES = 500_000  # that it may be asked to play; a minute
SEARCH_STOP_NODES = 256  # between two questions whether to stop; 3 ms
SOLVER_STOP_NODES = 4096  # the same when Connect Four is solved; 10 ms in Python, 1 ms compiled
MAX_SOLVER_TABLE = 1 << 20  # positions in its table, then all are forgotten; 100 bytes each
# --- simulation of Ligretto ---
SIMULATED_ROUNDS = 1_000  # that are simulated when nobody says; a second in Python
MAX_SIMULATED_ROUNDS = 1_000_000  # that may be asked for; ten minutes in Python with four seats
MAX_SIMULATED_SEATS = 100  # of a table in a model; nobody's arms are longer
MAX_SIMULATED_TIME = 1_000_000  # of a model's unit, for any time that is set; beyond it nothing new happens
MAX_SIMULATED_RESCUES = 1_000  # of a round without a lay between; a hand of 27 is as it was after so many
MAX_SIMULATED_SEED = 2**53 - 1  # the largest whole number that every reader of JSON reads as it stands
MAX_DECKS_FILE = 4 * 1024 * 1024  # bytes of a file of decks; 10,000 decks are 1.2 MB, with spaces twice that
MAX_SIMULATION_BODY = 256 * 1024  # bytes of what a service is asked with; 1,000 decks are 120 kB
MAX_SIMULATION_CONNECTIONS = 64  # at once; polling takes one for a moment, the oldest gives way
SIMULATION_SECONDS = 60  # that a service gives to one simulation when nobody says
MAX_SIMULATION_SECONDS = 24 * 3600  # that it may be told to give; the queue stands as long
SIMULATION_MEMORY_MIB = 2048  # MiB that a service's worker may take; 10,000 players take a tenth
MAX_SIMULATIONS_WAITING = 16  # in a service's queue; the last one waits a quarter of an hour at the longest
MAX_SIMULATIONS_KEPT = 256  # results of a service; each is some 20 kB, and the oldest gives way
SIMULATION_HOURS = 24  # that a result is kept; who polls at all has it by then
MAX_SIMULATION_ANSWER = 4 * 1024 * 1024  # bytes of a result in all forms; usually 20 kB, and what was asked, decks too
SIMULATION_POLL_SECONDS = 2  # until a page in progress asks again
# --- rule files ---
MAX_RULE_FILE = 32 * 1024  # characters of a rule file; the games that come along take 3,000 each
MAX_RULE_TOKENS = 10_000  # words and signs in it; the games have 1,000, and reading so many takes 40 ms
MAX_RULE_NESTING = 40  # nodes above one another in a statement or function; people lose track at ten
MAX_RULE_HEIGHT = 200  # the same, of all functions that are under way at once; 400 calls of Python, which has 1,000
MAX_RULE_CALLS = 32  # functions that are under way at once; the games need four
MAX_RULE_INT = 2**63 - 1  # of a whole number, and of one below zero; what a signed 64-bit field holds in any language
MAX_RULE_TEXT = 4096  # characters of a text
MAX_RULE_LIST = 4096  # elements of a list, tuple, dict or range; a deal has MAX_PIECES at most
RULE_LOAD_STEPS = 200_000  # that the top of a file may take; a list of 500 cards takes 5,000
RULE_CALL_STEPS = 20_000  # that one call may take; the games need 1,200
MAX_SCRIPT_NAMES = 60  # regions, actions, choices, counters, marks, or values of a card; what a screen has room for
MAX_SCRIPT_SEATS = 4  # own decks are for two; with one pack, what a dealing of cards is quick for
MAX_SCRIPT_STEPS = 1000  # effects between two actions, a call counts as 20, a shuffled card as one; a turn takes 200
MAX_SCRIPT_CHOICES = 1000  # possibilities of a seat at a time, legal or not; to ask rules about each takes 4 s at most
MAX_SCRIPT_IDLE = 100  # times in a row that seats can do nothing; rules in which that happens have come to no end
SCRIPT_JUDGE_STEPS = 200_000  # of judging at the end what hands allowed, 0.3 s at worst; the games need 10,000
SCRIPT_IDLE_STEPS = 200_000  # of asking whether a seat can do nothing, 0.1 s; the games need 2,000
