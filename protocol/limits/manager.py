"""Bounds of a table manager, each with its unit and its reason."""

from protocol.limits.match import MAX_TABLES_LISTED

# --- table manager: connections ---
MAX_CONNECTIONS = 2_048  # connections at once; about 20 kB each when idle
# connections of one IPv4 address or IPv6 /64; a class of pupils behind one router
MAX_PER_ADDRESS = 64
# connections that have not said hello; the oldest of the address with most of them gives way
MAX_HALF_OPEN = 128
# ditto of one address, where the oldest gives way; half a class arriving at once
MAX_HALF_OPEN_PER_ADDRESS = 32
# new connections at once, and a second in the long run; a handshake takes 0.8 ms
ARRIVALS_PER_ADDRESS = (512, 32)
ARRIVALS = (1_024, 256)  # ditto from all addresses; a fifth of one core
MAX_ADDRESSES_KEPT = 16_384  # addresses (or identities) whose arrivals are remembered; about 4 MB
# connections accepted before those who are here get their turn; a refusal takes 20 us
ACCEPTS_PER_TURN = 8
# connections that the system keeps waiting for us: a class arriving at once, four times over
LISTEN_BACKLOG = 256
ACCEPT_RETRY_SECONDS = 1  # after the system had no descriptor or memory for a connection
# for handshake and hello together, not for each read; a slow mobile line needs 3
HANDSHAKE_SECONDS = 10
FRAMES = (1_000, 500)  # from one connection at once, and a second in the long run; bots send 200
# ditto from one address; a class of pupils in the middle of a deal, all at once
FRAMES_PER_ADDRESS = (16_000, 4_000)
# times that a player sends a legal entry again which the table refused; then it stops, and stays
MAX_REPEATS = 3
# refusals that wait until their author has read the log so far; honest programs have one
MAX_REFUSALS_WAITING = 64
# frames that an entry counts as which is refused: a signature was checked for nothing
REFUSED_COSTS = 25
# bytes of a posted entry that count as one frame; a hop, a move or ten proven shares are less
ENTRY_FREE = 1024
# of what an entry has above that; a proven shuffle of 52 cards counts as 290 frames for its check
BYTES_A_FRAME = 32
# for a frame that has begun to be there whole, not for each read; the largest takes 25 at 20 kbit/s
FRAME_SECONDS = 30
SPARE_DESCRIPTORS = 32  # file descriptors kept for the journal, exported logs and the interpreter
# bytes of a PROXY header; its addresses take 52, what proxies say of certificates hundreds
MAX_PROXY_HEADER = 4_096
# bytes of the request that opens a WebSocket; browsers and proxies add no more than 8 kB to one
MAX_UPGRADE = 16_384
# bytes taken from one peer before the others get their turn; one whole frame
READ_CHUNK = 64 * 1024
# bytes queued for one peer before nothing more is fetched for it; two chunks, one may go out
HIGH_WATER = 128 * 1024
# bytes of a peer's that the system holds and has not sent; talk ahead of an entry: see next
MAX_UNSENT = 12 * 1024
# bytes queued here, then talk is dropped; with those 10 s at 20 kbit/s, as WARNING_SECONDS
MAX_TALK_QUEUED = 12 * 1024
# bytes queued for one peer; a log in chunks and all the talk there can be stay under this
MAX_QUEUED = 1024 * 1024
# bytes queued for all peers; then the one with most is cut off
MAX_QUEUED_IN_ALL = 64 * 1024 * 1024
# a peer that has taken nothing for so long is cut off; a mobile line's gap is under 10
STALL_SECONDS = 20
# to read our close record before the connection is dropped; two seconds are left to stop
CLOSE_SECONDS = 1.5
KEEPALIVE_SECONDS = 60  # of silence before TCP asks whether the peer is still there

# --- table manager: lobby and matches ---
MAX_TABLES = MAX_TABLES_LISTED  # tables at once; all of them are listed
MAX_TABLES_PER_IDENTITY = 4  # tables created by one identity at once
# ditto from one address, whether matches run there or not; a class in pairs, twice over
MAX_TABLES_PER_ADDRESS = 32
# tables created from one address at once, and a second in the long run; each is stored
CREATIONS_PER_ADDRESS = (32, 2)
# seats taken from one address, where matches run or are to begin; as MAX_PER_ADDRESS
MAX_SEATS_PER_ADDRESS = 64
# lobby requests of one identity at once, and a second in the long run; a person makes one
REQUESTS = (64, 4)
REQUESTS_PER_ADDRESS = (512, 32)  # ditto of one address; a listing of all tables costs 3 ms
MAX_SPECTATORS = 64  # of one match; each entry is sealed anew for each of them
# until the table says who has come or gone; a line that flaps is no news, and no flood
PRESENCE_SECONDS = 3.0
# between two lines about that on a screen, whatever a table says: there talk would go
PRESENCE_NEWS_SECONDS = 30.0
# after a match for a party to ask for what it has not read, and then to take more of it
GOODBYE_SECONDS = 10
# ditto from one address, so that none takes all places; a class that watches
MAX_SPECTATORS_PER_ADDRESS = 32
# places to look back at matches that are over; 10 MB of logs, who holds many gives way
MAX_PAST_MATCHES = 32
# MiB of finished matches in the journal; the oldest go once they are files: strangers play too
MAX_JOURNAL_MIB = 1024
# MiB of log files of matches that are over; the oldest go, every player has a copy of its own
MAX_LOGS_MIB = 4096
# after a restart, before tables that somebody created who is not back are taken away
RETURN_SECONDS = 120
# after the first seat is back at another host, for others to say what they hold; tries are 7.5 s
# apart at most, and a takeover is to take no 15
RETURNING_SECONDS = 8
# ditto of a table with one host: a try at a machine that starts may hang for 10 s more
RETURNING_ALONE_SECONDS = 20
# for what a store is known to have lost; who has it may have to be called, and start a machine
LOST_TAIL_SECONDS = 300
# newest records that a player without a log keeps; MAX_CHANGE_ENTRIES, 3 MB at most
MAX_TAIL_KEPT = 64
# records of a message that gives a log's end back; their heads take 20 ms to check
MAX_TAIL_RECORDS = 256
# without a word of the store, before nothing is refused: others may claim after 3 s of silence
HOST_STALE_SECONDS = 2
# bytes of entries of one match that go to the store at once; more than a second brings
MAX_CHANGE = 1024 * 1024
# entries of one match that go to the store at once; their heads are 4 kB in one row of it
MAX_CHANGE_ENTRIES = 64
# bytes in one transaction of the journal; a quarter of MAX_STANDBY_TRANSACTION
MAX_COMMIT = 16 * 1024 * 1024
# that an entry waits for store or signer, then people are told why; a leader's election takes four
HELD_UP_SECONDS = 3
# between attempts to write a journal whose disk refused; a person frees space in minutes
JOURNAL_RETRY_SECONDS = 2
# that a host waits for an answer with everything standing still; usual are some milliseconds
SIGNER_ASK_SECONDS = 1
# that it owes an answer, then a signer counts as away: HOST_STALE_SECONDS for a store
SIGNER_AWAY_SECONDS = 2
SIGNER_RETRY_SECONDS = 0.5  # between two looks whether it is back; nobody notices less
# matches of which it knows all hashes, not the last alone; 70 MB, a table has a thousand open
SIGNER_RECALLS = 10_000
# last hashes of a match that it knows for ever: MAX_CHANGE_ENTRIES; 3 kB, a GB in 300,000 matches
SIGNER_TAIL = 64
MAX_SIGNER_FRAME = 64 * 1024  # bytes of a request or an answer: an entry, and what goes around it
# connections to it at once, two of each host; the largest cluster has some ten hosts
MAX_SIGNER_HOSTS = 64
# requests that a host waits for, then it asks for no more than it must; 30 MB
MAX_SIGNER_ASKED = 20_000
# requests that wait for its disk, then it reads no more: a second's work
MAX_SIGNER_WAITING = 10_000

# --- meeting at a table ---
# people who are seen in a lobby at once; all in one message, and nobody reads more names
MAX_PRESENT = 200
PEOPLE_SECONDS = 1.0  # between two messages about who comes and goes; whoever flaps is no flood
# times that an identity may appear or want something else at once, and a second; lines on screens
APPEARS = (16, 0.2)
# remarks of one identity at once, and a second in the long run; nobody types faster
LOBBY_TALK = (3, 1)
LOBBY_TALK_PER_ADDRESS = (12, 4)  # ditto of one address; a class talking
# ditto of all; each is sealed for MAX_PRESENT people, and nobody reads faster
LOBBY_TALK_IN_ALL = (32, 8)
# invitations and pipes that one identity asks for at once, and a second in the long run; a person's
CALLS = (8, 0.5)
CALLED = (16, 1)  # ditto, that one identity is told of; a person answers one in some seconds
MAX_CALLS_SHOWN = 16  # invitations that a screen keeps, the oldest goes; nobody weighs more
# keys that a person ignores; the oldest goes: a flood of new keys is the host's to stop
MAX_IGNORED = 1_000
MAX_MUTED_FILE = 64 * 1024  # bytes of a host's list of muted people; a thousand of them
MAX_PIPES = 128  # between people at one table; with their windows 8 MB, who holds many gives way
# pipes that one connection has or asks for; a match and a trade, and two with others
MAX_PIPES_OF_ONE = 4
# bytes of one message through a pipe: others get their turn between two of them
MAX_PIPE_DATA = 8 * 1024
# bytes of its window that a message takes beside its data: that is what it takes elsewhere
PIPE_OVERHEAD = 64
# bytes under way in a pipe, each way; 0.2 s at the rate below, 13 s at 20 kbit/s
PIPE_WINDOW = 32 * 1024
# of one identity through pipes at once, and a second; a match needs 5 kB a second
PIPE_BYTES = (256 * 1024, 64 * 1024)
# ditto of all: eight megabit a second, and a tenth of one core
PIPE_BYTES_IN_ALL = (4 * 1024 * 1024, 1024 * 1024)
# that a pipe is asked for, then it is not wanted; a person looks up from the screen in less
PIPE_ASK_SECONDS = 60
# without a byte of it read, then a pipe is closed; a window takes 13 s on a slow line
PIPE_STALL_SECONDS = 60
# bytes that one's own program wants to send; four of the largest parcels
MAX_PIPE_QUEUED = 4 * 1024 * 1024

# --- a table and its standby ---
# bytes of a transaction or of a copy's rows in one message; an entry fits, with its row
MAX_STANDBY_PART = 60 * 1024
# bytes of one transaction; a thousand matches' largest entries
MAX_STANDBY_TRANSACTION = 64 * 1024 * 1024
# characters of where a primary's table is; the longest name of a machine has 253
MAX_STANDBY_ADDRESS = 300
# connections to a standby at once; one primary has one, and perhaps an old one that hangs
MAX_STANDBY_LINES = 8
# between two words of a primary that has nothing else to say; who runs it reads of a gap soon
STANDBY_BEAT_SECONDS = 5
# to reach the other machine; one between two is reached in one or not at all
STANDBY_CONNECT_SECONDS = 3
# in which a table that is still there answers, before another signs with its key: it may be busy
STANDBY_TWIN_SECONDS = 20
# for an answer, then the line is another one; a disk that syncs large files takes some
STANDBY_ANSWER_SECONDS = 10
STANDBY_RETRY_SECONDS = 1  # between two attempts to reach a standby: all matches wait meanwhile
# to get the last answer as the table closes; two seconds are left to stop
STANDBY_CLOSE_SECONDS = 1.5
STANDBY_NOTE_SECONDS = 60  # between two notes on a standby's disk that its primary was there
# of silence, then a standby is not promoted without asking: the primary may be alone
STANDBY_FRESH_SECONDS = 15 * 60
