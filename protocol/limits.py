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
MAX_PIECES = 208  # four packs of cards
MAX_NAME = 24  # characters of a player's or table's name; fits a column on a terminal
MAX_ENTRY = 48 * 1024  # bytes of one encoded entry; the largest (a proven shuffle of 208 cards) is 40 kB
MAX_VALUE = 40  # characters of an option's value
MAX_OPTIONS = 8  # options of a game or a dealing protocol
MAX_RULES = 64  # characters of a rules version; a SHA-256 in hexadecimal digits
MAX_TABLES_LISTED = 200  # rows of a lobby listing; 200 rows of 4 seats stay under a frame
MAX_ENVELOPE = 16 * 1024  # bytes of a sealed envelope; 208 slot keys are 6.7 kB
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

# --- dominoes ---
MIN_DOMINO_SEATS = 2  # seats; alone there is nobody to hide a tile from
MAX_DOMINO_SEATS = 4  # seats; four hands of seven use up a set of 28
DOMINO_SETS = (6, 9)  # highest number of the set: 28 or 55 tiles; both fit MAX_PIECES
MAX_DOMINO_TARGET = 10_000  # points of a match; some hundred hands, far longer than anybody plays
MAX_OPERATIONS = 16  # that one action asks of a dealing protocol; a hand of poker shown has five
MAX_DRAWS = MAX_PIECES  # draws in one deal: every piece once

# --- poker ---
MIN_POKER_SEATS = 2  # seats
MAX_POKER_SEATS = 9  # seats at hold'em, as in card rooms
MAX_DRAW_SEATS = 6  # seats at five-card draw; seven hands of five and their exchanges would use up the pack
MAX_POKER_STACK = 10_000  # chips that a seat starts with; each possible raise is a choice to list: 5 ms a turn
MAX_POKER_RAISES = 40  # bets and raises of one street, then the only raise is all in: a war of smallest ones ends
MAX_POKER_REBUYS = 3  # stacks that a seat may buy in a match; more are another match
MAX_POKER_HANDS = 500  # hands of a match; some hours of play

# --- layered dealing (counts) ---
FREE_ROUNDS_PER_PIECE = 4  # rounds of selection, per piece of a hand, before taking stops being by chance:
# with p >= 1/2 a seat needs more than that with odds under 2^-20, and with small p nothing is lost but speed

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
READ_CHUNK = 64 * 1024  # bytes taken from one peer before the others get their turn; one whole frame
HIGH_WATER = (
    128 * 1024
)  # bytes queued for one peer before nothing more is fetched for it; two chunks, so that one may go out
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
GOODBYE_SECONDS = 10  # after a match for a party to ask for what it has not read, and then to take more of it
MAX_PAST_MATCHES = 32  # places to look back at matches that are over; 10 MB of logs, who holds many gives way
MAX_JOURNAL_MIB = 1024  # MiB of finished matches in the journal; the oldest go once they are files: strangers play too
MAX_LOGS_MIB = 4096  # MiB of log files of matches that are over; the oldest go, every player has a copy of its own
RETURN_SECONDS = 120  # after a restart, before tables that somebody created who is not back are taken away
JOURNAL_RETRY_SECONDS = 2  # between attempts to write a journal whose disk refused; a person frees space in minutes

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
PAGE_LOOK_SECONDS = 4  # between two looks at which tables there are; a table answers four a second
PAGE_READ_SECONDS = 0.25  # of a long log that is replayed, then the page is answered; a frame waits so long at most
MAX_PAGE_NEWS = 256  # deeds and talk that wait for a page; a tab that slept asks for the deeds, old talk is gone
