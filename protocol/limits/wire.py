"""Limits of frames and their encoding, with their units and reasons."""

# --- frames (bytes) ---
FRAME_HEADER = 4  # length, big-endian
MAX_HANDSHAKE_FRAME = 512  # a Noise XX message with an identity payload has under 300
# bytes of a ticket, of the secret that comes with it, and of the proof that its bearer has the
# secret; the proof cannot be guessed
TICKET, TICKET_SECRET, TICKET_PROOF = 72, 32, 24
MAX_FRAME = 65_535  # Noise's own limit for a transport message
MAX_MESSAGE = MAX_FRAME - 16 - 1  # a frame without the AES-GCM tag and the record type

# --- WebSockets that a program opens ---
# pings, pongs and unfinished parts of messages in a burst, and per second in the long run, after
# which the line ends; a ping comes every 25 s, and a browser splits a large message in two
WEB_SIDE_FRAMES = (256, 32)
# bytes taken apart before it is asked whether the other side has sent too many of these; a thousand
# empty pings
WEB_PIECE = 2 * 1024

# --- encoding ---
MAX_DEPTH = 8  # nesting of lists; the deepest message of this protocol, a listing, needs 7
MAX_INT = 2**63 - 1  # what a signed 64-bit field can represent in any language
# bytes of a value that the library may decode; nested list headers cost it at most 0.1 ms
MAX_SMALL = 2048
# items of a list in such a value; the library allocates their space before it reads any
MAX_SMALL_LIST = 64

# --- a table of several hosts, and signs of life ---
# addresses in a link, and in a `welcome`; three to five hosts run a table, some with a TCP port and
# a WebSocket
MAX_HOSTS = 8
MAX_ADDRESS = 480  # characters of an address; a name has at most 253, a path 200
# times within HOPS_SECONDS that a player lets a table send it to another address; one leads to the
# host with the match
MAX_HOPS = 5
HOPS_SECONDS = 30  # seconds in which hops are counted; hosts settle a disputed takeover in less
# seconds until a player notices that the machine of one of several hosts is gone; radio has gaps of
# some seconds
WATCH_SECONDS = 8
# seconds between two signs of life of each side in a running match; those of 2,000 seats take a
# tenth of a core, and twice as long would take too long to notice
LIFE_SECONDS = 2
# seconds without a byte after which a line counts as dead; two signs may get lost, and a busy
# program stalls for two seconds
SILENCE_SECONDS = 3 * LIFE_SECONDS
# longest seconds of silence accepted, after the time was doubled for each silence; radio has gaps
MAX_SILENCE_SECONDS = 32

# --- rotation of a table's key ---
# rotations in the history that a table shows, the newest; one a year for a lifetime
MAX_ROTATIONS = 64
# bytes of such a history; a rotation takes at most 250, and all fit into one message
MAX_KEY_HISTORY = 16_384
