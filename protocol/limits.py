"""Every bound in one place, with its unit and its reason."""

# --- frames (bytes) ---
FRAME_HEADER = 4  # big-endian length
MAX_HANDSHAKE_FRAME = 512  # a Noise XX message with an identity payload is under 300
MAX_FRAME = 65_535  # Noise's own limit for a transport message
MAX_MESSAGE = MAX_FRAME - 16 - 1  # less the AES-GCM tag and the record type

# --- encoding ---
MAX_DEPTH = 8  # nesting of lists; the deepest message of ours needs 5
MAX_INT = 2**63 - 1  # what a signed 64-bit field holds in any language

# --- tables ---
MAX_SEATS = 8  # dominoes needs 4; more seats make selection slow
MAX_PIECES = 208  # four packs of cards
MAX_NAME = 24  # characters of a player's or table's name; fits a column on a terminal
MAX_ENTRY = 48 * 1024  # bytes of one encoded entry; the largest (a proven shuffle of 208 cards) is 40 kB
MAX_VALUE = 40  # characters of an option's value
MAX_OPTIONS = 8  # options of a game or a dealing protocol
MAX_TABLES_LISTED = 200  # rows of a lobby listing; 200 rows of 4 seats stay under a frame
MAX_ENVELOPE = 16 * 1024  # bytes of a sealed envelope; 208 slot keys are 6.7 kB
MAX_LOG_FILE = 256 * 1024 * 1024  # bytes of a log file; 500 hands dealt in the slowest way there is take 220 MB

# --- dominoes ---
MIN_DOMINO_SEATS = 2  # seats; alone there is nobody to hide a tile from
MAX_DOMINO_SEATS = 4  # seats; four hands of seven use up a set of 28
DOMINO_SETS = (6, 9)  # highest number of the set: 28 or 55 tiles; both fit MAX_PIECES
MAX_DOMINO_TARGET = 10_000  # points of a match; some hundred hands, far longer than anybody plays
MAX_DRAWS = MAX_PIECES  # draws in one deal: every piece once

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

# --- table manager: connections ---
MAX_CONNECTIONS = 2_048  # connections at once; about 20 kB each when idle
MAX_PER_ADDRESS = 64  # connections of one IPv4 address or IPv6 /64; a class of pupils behind one router
MAX_HALF_OPEN = (
    128  # connections that have not said hello; the oldest gives way, an honest hello takes a few round trips
)
HANDSHAKE_SECONDS = 10  # for handshake and hello together, not for each read; a slow mobile line needs 3
SPARE_DESCRIPTORS = 32  # file descriptors kept for the journal, exported logs and the interpreter
READ_CHUNK = 64 * 1024  # bytes taken from one peer before the others get their turn; one whole frame
HIGH_WATER = (
    128 * 1024
)  # bytes queued for one peer before nothing more is fetched for it; two chunks, so that one may go out
MAX_QUEUED = 1024 * 1024  # bytes queued for one peer; MAX_SEATS chunks relayed to it in one round stay under this
STALL_SECONDS = 20  # a peer that has taken nothing for so long is cut off; a mobile line's gap is under 10
CLOSE_SECONDS = 1.5  # to read our close record before the connection is dropped; two seconds are left to stop
KEEPALIVE_SECONDS = 60  # of silence before TCP asks whether the peer is still there

# --- table manager: lobby and matches ---
MAX_TABLES = MAX_TABLES_LISTED  # tables at once; all of them are listed
MAX_TABLES_PER_IDENTITY = 4  # tables created by one identity at once
MAX_SPECTATORS = 64  # of one match; each entry is sealed anew for each of them
PATIENCE_SECONDS = 300  # without an entry before the first seat that owes one is declared lapsed
GOODBYE_SECONDS = 10  # after a match for a party to ask for what it has not read
JOURNAL_RETRY_SECONDS = 2  # between attempts to write a journal whose disk refused; a person frees space in minutes
