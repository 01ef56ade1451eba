"""Bounds of two people, and one's own files, each with its unit and its reason."""

from protocol.limits.wire import MAX_MESSAGE

# --- two people without a table ---
MAX_PARCEL = 1024 * 1024  # bytes of a parcel; a turn at a verified deal of 52 cards is under 100 kB
# entries in a parcel; a turn has a dozen, a match sent again from its beginning hundreds
MAX_PARCEL_ENTRIES = 4096
# bytes of a mail that is looked into; a parcel is 1.4 MB of base64, mail servers add a page
MAX_MAIL = 2 * 1024 * 1024
MAX_MAIL_PARTS = 64  # parts of a mail that are looked at; mailing lists add two or three
# times that "multipart/" stands in a mail; each costs a look in every line, three are usual
MAX_MAIL_MULTIPARTS = 16
# bytes of a header, with the lines that it goes on in; a letter's longest has some 200
MAX_MAIL_HEADER = 2048
# lines of a mail that look like headers, in all of its parts; mail servers add some 30
MAX_MAIL_HEADERS = 1000
MAX_MAIL_ADDRESS = 254  # characters of a mail address; RFC 5321 allows no more
MAX_MAILS = 10_000  # mails of one mailbox that are looked at; more are a person's life, not a game
# bytes of letters that are read at once; the next reading takes the others
MAX_LETTERS_HELD = 64 * 1024 * 1024
MAX_INVITATIONS = 100  # by mail, that a person has not answered; more are somebody's joke
# connections at once to who waits for one other player; the rest are knocks on the wrong door
MAX_GUESTS = 16

# --- lines between two people ---
# addresses that one side names; a laptop with a cable, Wi-Fi and a tunnel has six, half of them IPv6
MAX_WAYS = 8
# different ones that are called in a match or trade; people change networks a few times
MAX_WAYS_CALLED = 32
# ports that are called when a peer names them; below are services of the system
LINE_PORTS = (1024, 65_535)
# that stand at once between two; two that are direct and one through a table are all that is of use
MAX_LINES = 4
# earlier runs of the other program that are remembered: what is left of them does not take over
# again
MAX_RUNS = 16
# of silence, then something is said: five may be lost before a line counts as silent
LINE_BEAT_SECONDS = 1
# without a word, then the next line is used; a mobile line's gap is usually under that
LINE_SILENT_SECONDS = 5
# that a silent line is kept, should it come back; TCP tries again for longer
LINE_KEPT_SECONDS = 60
# times that an address is called which a peer has named and which never answers; a firewall stays
LINE_TRIES = 8
# seconds between two rounds of calls, doubled each time; nobody's address book is knocked at
LINE_PAUSES = (0.2, 30)
MAX_LINE_PART = MAX_MESSAGE - 64  # bytes of a numbered part; beside it stand a name and two numbers
# bytes that the other side has not confirmed; whole collections are merged
MAX_UNHEARD = 16 * 1024 * 1024

# --- found on the local network ---
MAX_FOUND = 64  # announcements that are listed; more are no living room but somebody's joke
FIND_SECONDS = 3  # that is listened for announcements; they come in one or two
MAX_LAN_TEXT = 200  # bytes of what one announcement says; it is read by everybody on the network

# --- identity files ---
KEYFILE_OPS = 3  # passes of argon2id: libsodium's "moderate"
# bytes of argon2id: libsodium's "moderate", about a second on a laptop
KEYFILE_MEMORY = 256 * 1024 * 1024
# a file that asks for more would only stall whoever opens it
MIN_KEYFILE_OPS, MAX_KEYFILE_OPS = 1, 16
MIN_KEYFILE_MEMORY, MAX_KEYFILE_MEMORY = 8 * 1024 * 1024, 1024 * 1024 * 1024  # bytes; ditto
MAX_KEYFILE = 1024  # bytes of an identity file; a real one is under 400

# --- table talk ---
MAX_SAY = 200  # characters of one remark; three lines on a terminal
# bytes that every sealed remark is padded to: 200 characters of 4 bytes, counter and framing
SAY_PADDED = 1024
# bytes of every envelope of talk: that, with salt, length and tag; longer ones only fill queues
TALK_ENVELOPE = 1076
# of one seat to another at once, and a second in the long run; a remark takes seconds to type
RELAYS = (8, 0.5)

# --- the page of a player's own program ---
# that a link is good for; a browser opens in seconds, a person copies a link in less
PAGE_TICKET_SECONDS = 120
MAX_PAGE_TICKETS = 4  # links that are not used yet; whoever asks for more has lost the first ones
MAX_PAGE_TOKENS = 16  # pages that were let in, the oldest gives way; people have two or three tabs
# at once; a page has one for the stream, and browsers six at most for all the rest
MAX_PAGE_CONNECTIONS = 16
MAX_PAGE_HEADERS = 16 * 1024  # bytes of a request's line and headers; browsers send one or two
# bytes of a request's body; the longest is a remark, or a table with all its options
MAX_PAGE_BODY = 4 * 1024
# bytes of a log that is compared on the page; longer ones `fairdeal compare` takes
MAX_PAGE_LOG = 1024 * 1024
PAGE_SECONDS = 30  # for a request to be there whole; it comes from this machine
# of silence on the stream, then something is said: a page knows what is lost, and time passes
PAGE_BEAT_SECONDS = 5
# that a program which ends waits for its pages to have heard it; one that sleeps never does
PAGE_GOODBYE_SECONDS = 1
PAGE_LOOK_SECONDS = 4  # between two looks at which tables there are; a table answers four a second
# of a long log that is replayed, then the page is answered; a frame waits so long at most
PAGE_READ_SECONDS = 0.25
# deeds and talk that wait for a page; a tab that slept asks for the deeds, old talk is gone
MAX_PAGE_NEWS = 256
