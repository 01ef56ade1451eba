"""Limits of two people without a table, and of a player's own files, with their units and
reasons.
"""

from protocol.limits.wire import MAX_MESSAGE

# --- two people without a table ---
# bytes of a parcel; a turn at a verified deal of 52 cards has under 100 kB
MAX_PARCEL = 1024 * 1024
# entries in a parcel; a turn has a dozen, and a match sent again from its beginning has hundreds
MAX_PARCEL_ENTRIES = 4096
# bytes of a mail that is examined; a parcel has 1.4 MB of base64, and mail servers add a page
MAX_MAIL = 2 * 1024 * 1024
MAX_MAIL_PARTS = 64  # parts of a mail that are examined; mailing lists add two or three
# occurrences of "multipart/" in a mail; each costs a search through every line, and three are usual
MAX_MAIL_MULTIPARTS = 16
# bytes of a header with its continuation lines; the longest of a letter has some 200
MAX_MAIL_HEADER = 2048
# lines of a mail that look like headers, in all of its parts; mail servers add some 30
MAX_MAIL_HEADERS = 1000
MAX_MAIL_ADDRESS = 254  # characters of a mail address; RFC 5321 allows no more
MAX_MAILS = 10_000  # mails of one mailbox that are examined; a mailbox for a game has fewer
# bytes of letters that are read at once; the next reading takes the others
MAX_LETTERS_HELD = 64 * 1024 * 1024
MAX_INVITATIONS = 100  # unanswered invitations by mail; more are somebody's joke
# simultaneous connections to a program that waits for one other player; the rest have the wrong
# address
MAX_GUESTS = 16

# --- lines between two people ---
# addresses that one side names; a laptop with a cable, Wi-Fi and a tunnel has six, half of them
# IPv6
MAX_WAYS = 8
# different addresses that are called in a match or trade; people change networks a few times
MAX_WAYS_CALLED = 32
# ports that are called when a peer names them; smaller ones belong to services of the system
LINE_PORTS = (1024, 65_535)
# simultaneous lines between two people; more than two direct lines and one through a table are of
# no use
MAX_LINES = 4
# earlier runs of the other program that are remembered, so that their remaining lines cannot take
# over again
MAX_RUNS = 16
# seconds of silence after which a sign of life is sent; five may be lost before a line counts as
# silent
LINE_BEAT_SECONDS = 1
# seconds without a message after which the next line is used; a gap on a mobile line is usually
# shorter
LINE_SILENT_SECONDS = 5
# seconds that a silent line stays open, in case it recovers; TCP retries for longer
LINE_KEPT_SECONDS = 60
# calls to an address that a peer has named and that never answers; a firewall does not go away
LINE_TRIES = 8
# seconds between two rounds of calls, doubled each time, from the first to the second number; calls
# must not flood strangers' addresses
LINE_PAUSES = (0.2, 30)
# bytes of a numbered part; the message also has a name and two numbers
MAX_LINE_PART = MAX_MESSAGE - 64
# bytes that the other side has not confirmed; whole collections are merged
MAX_UNHEARD = 16 * 1024 * 1024

# --- found on the local network ---
# announcements that are listed; more do not come from a living room, but are somebody's joke
MAX_FOUND = 64
FIND_SECONDS = 3  # seconds to listen for announcements, which come every one or two
MAX_LAN_TEXT = 200  # bytes of the text of one announcement, which everybody on the network reads

# --- identity files ---
KEYFILE_OPS = 3  # passes of argon2id: libsodium's "moderate"
# bytes of argon2id: libsodium's "moderate", about a second on a laptop
KEYFILE_MEMORY = 256 * 1024 * 1024
# passes in an identity file; more would only delay the person who opens it
MIN_KEYFILE_OPS, MAX_KEYFILE_OPS = 1, 16
# bytes of memory in an identity file; more would only delay the person who opens it
MIN_KEYFILE_MEMORY, MAX_KEYFILE_MEMORY = 8 * 1024 * 1024, 1024 * 1024 * 1024
MAX_KEYFILE = 1024  # bytes of an identity file; a real one has under 400

# --- table talk ---
MAX_SAY = 200  # characters of one remark; three lines on a terminal
# bytes that every remark is padded to before encryption: 200 characters of 4 bytes, counter and
# framing
SAY_PADDED = 1024
# bytes of every envelope of talk: SAY_PADDED with salt, length and tag; longer ones would only fill
# queues
TALK_ENVELOPE = 1076
# remarks of one seat to another in a burst, and per second in the long run; a remark takes seconds
# to type
RELAYS = (8, 0.5)

# --- the page of a player's own program ---
# seconds for which a link is valid; a browser opens in seconds, and a person copies a link in less
PAGE_TICKET_SECONDS = 120
MAX_PAGE_TICKETS = 4  # unused links; a person who asks for more has lost the first ones
# pages with access, of which the oldest is closed first; people have two or three tabs
MAX_PAGE_TOKENS = 16
# connections at once; a page has one for the stream, and browsers use at most six for all the rest
MAX_PAGE_CONNECTIONS = 16
MAX_PAGE_HEADERS = 16 * 1024  # bytes of a request's line and headers; browsers send one or two kB
# bytes of a request's body; the longest is a remark, or a table with all its options
MAX_PAGE_BODY = 4 * 1024
# bytes of a log that is compared on the page; `fairdeal compare` takes longer ones
MAX_PAGE_LOG = 1024 * 1024
# seconds until a request must have arrived completely; it comes from the same machine
PAGE_SECONDS = 30
# seconds of silence on the stream after which a sign of life is sent; so a page notices a lost
# connection, and clocks on it advance
PAGE_BEAT_SECONDS = 5
# seconds that a program waits at its end for its pages to receive the last messages; a sleeping
# page never does
PAGE_GOODBYE_SECONDS = 1
# seconds between two requests for the list of tables; a table answers four a second
PAGE_LOOK_SECONDS = 4
# seconds of replaying a long log before the page gets an answer; a frame waits at most this long
PAGE_READ_SECONDS = 0.25
# narrations and remarks that wait for a page; a tab that slept asks again for narrations, and loses
# old remarks
MAX_PAGE_NEWS = 256
# matches of one run whose talk a page gets back; the newest, with MAX_PAGE_NEWS remarks each
MAX_TALK_MATCHES = 8
# logs in the history of Home; the first entry of each is read whenever the list is shown
HISTORY_LOGS = 200
# logs whose results are counted; reading a log anew takes up to a second, and is done once
HISTORY_RESULTS = 1_000
# bytes of the file that keeps these results; a match of ten long names takes less than 3 kB
MAX_HISTORY_FACTS = 4 * 1024 * 1024
# bytes of the file of a person's settings; all of them together take less than 200
MAX_SETTINGS = 1024
# seconds from one attempt at the passphrase of the own key to the next; a person types longer
KEY_TRY_SECONDS = 1
# earlier names of a person, by which own seats in old logs are found
MAX_OWN_NAMES = 16

# bytes of the reports of a table that the app or `fairdeal host --play` has started; an older file
# of the same size stays beside it
MAX_TABLE_REPORTS = 1024 * 1024
# tables of earlier visits that the app asks who is there, whenever the person opens their list
TABLES_ASKED = 8
# pages of tables that are asked for at once, to list all tables; half of REQUESTS
MAX_PAGES_LISTED = 32
TABLES_A_PAGE = 20  # tables on a page of the browser; more cards nobody reads
TABLES_A_SCREEN = 8  # tables that a terminal shows at once; each takes two lines of 24
TABLE_LOOK_SECONDS = 5  # for such a table to answer; nobody waits longer for a list
# names of people that are shown for such a table
TABLE_NAMES_SHOWN = 12
# remarks of a lobby that a page shows, of which the oldest goes first; two screens of a telephone
LOBBY_TALK_KEPT = 50
# seconds for a table to be put up to which people of a match are invited again
INVITING_SECONDS = 10
# seconds for the people of a match to be seen in the lobby after it; a lobby tells of them in one
MEETING_SECONDS = 3
# bots at one time that a person has added to matches from the page; each is a process
MAX_PAGE_BOTS = 9
# folders of bots that are looked at when a table opens again: all of them, unless somebody has put
# more there
MAX_STORED_BOTS = 64
# for which somebody cannot come back whom a host has sent away from the page: an evening is over
# then, and nobody is kept out for good by a wrong click
SENT_AWAY_SECONDS = 3600
# bytes of the log of an unfinished match that Home reads to say whose turn it is: thousands of
# entries; of a longer one Home says only where it is
MAX_CONTINUED_LOG = 8 * 1024 * 1024

# --- page for browsers as a folder of files ---
MAX_MANIFEST = 256 * 1024  # bytes of a manifest; one with 150 files has 20 kB
MAX_MANIFEST_FILES = 1_024
MAX_PAGE_FILE = 32 * 1024 * 1024  # bytes of a file; the runtime has 10 MB
MAX_PAGE_FILES = 64 * 1024 * 1024  # bytes of all files of a page; there are 17 MB
# seconds for a server to say something, and for all that is asked of it by `fairdeal web check`: 20 MB
# over a line of 500 kbit/s
CHECK_SILENCE_SECONDS = 20
CHECK_SECONDS = 400
MAX_ANSWER_HEAD = 64 * 1024  # bytes of an answer's head; servers send less than 4 kB

# --- matches that have ended ---
# matches of which a data folder notes that they have ended, so that nothing more is signed in them;
# a host that has lost a claim shows an old one for minutes at most
MAX_ENDED_MATCHES = 1_000

# --- the file of a profile ---
# bytes of the files in a profile, and of the file that has them: a year of evenings with their logs
MAX_PROFILE = 128 * 1024 * 1024
# files in a profile: logs with their times, ends of matches, cards
MAX_PROFILE_FILES = 20_000
MAX_PROFILE_PATH = 200  # bytes of a path in a profile; the longest of the program has under 100
MAX_PROFILE_HEADER = 512  # bytes of the lines at its begin; real ones have under 250
# how often a profile is carried; an evening here and one there, for some thousand years
MAX_PROFILE_NUMBER = 1_000_000
