"""Bounds of cards that are owned, each with its unit and its reason."""

# --- cards ---
MAX_RECORD = 64 * 1024  # bytes of a record; the largest, a run of 512 types, is 20 kB
MAX_TRANSFERS = 64  # cards of one trade; a whole deck, and a trade of 5 kB
MAX_WITNESSES = 9  # that a creator names; two of them may lie, and seven agree
# characters of a card type's name, a creator's, or that of rules; a line on the card
MAX_CARD_NAME = 60
MAX_EDITION = 40  # characters of an edition's name
MAX_CREATOR_LINK = 200  # characters of where a creator's news can be fetched
MAX_CARD_TEXT = 600  # characters on a card; what fits its lower half
MAX_CARD_VALUES = 32  # values of a card type, or that rules ask for; printed cards have some ten
MAX_CARD_KEY = 40  # characters of a value's key
MAX_CARD_VALUE = 100  # characters of a value that is a text; a word or two
MAX_RUN_TYPES = 512  # card types of one run; large printed editions have 300
# bytes of what a witness said, in a proof that it lied; a path of 256 hashes is 9 kB
MAX_STATEMENT = 16 * 1024
# that a witness keeps for its own words; some 500 MB, and a minute to read them again
MAX_WITNESS_RECORDS = 200_000
# bytes of a record that a witness takes: it fits a message; a run of 512 types is 20 kB
MAX_RECORD_SENT = 48 * 1024
MAX_WITNESS_SENT = 64  # records in a message to a witness; to check their signatures takes 6 ms
MAX_WITNESS_ASKED = 1024  # records that a witness is asked about at once; 34 kB
# bytes of records that wait for somebody's next offer; some 12,000 trades
MAX_WITNESS_POOL = 4 * 1024 * 1024
MAX_WITNESS_POOLED = 64 * 1024 * 1024  # bytes of those of all together
# records of a history that is worked out anew for an offer; half a second
MAX_WITNESS_JUDGED = 20_000
JUDGED_A_FRAME = 4  # of those, that count as one frame: 25 us each
RECORD_COSTS = 2  # frames that a record to a witness counts as: two signatures are checked
MAX_PACK = MAX_TRANSFERS  # cards of a pack: it is handed over by one trade
# cards of one run; signed in three seconds, and its opening is a file of 2.3 MB
MAX_RUN_CARDS = 65_536
# sealed packs of one run; a bit for each stands in the terms of every sale: 1 kB
MAX_RUN_PACKS = 8192
# bytes of the file that opens a whole run: 34 for each card, 38 for each pack
MAX_RUN_OPENING = 4 * 1024 * 1024
# bytes of a sale's terms: those bits, and 63 cards that are paid, 105 bytes each
MAX_TERMS = 16 * 1024
# bytes of what a creator's link leads to; 50 types with faces are 200 kB
MAX_UPDATE = 16 * 1024 * 1024
UPDATE_SECONDS = 30  # for all of it, then the link counts as dead
MAX_UPDATE_RECORDS = 20_000  # records in it; two years of a busy creator's trades
# runs that a creator has on sale at once; more are a shop that nobody reads to its end
MAX_SHELF = 32
# bytes of an image that comes with a pack: one message; larger ones come by files
MAX_SALE_IMAGE = 48 * 1024
# from a sale's terms to its end; programs take milliseconds, and nobody else can buy meanwhile
SALE_SECONDS = 60
# of one visit: packs, merges and unfinished trades; each costs the creator a write
MAX_SALES_ASKED = 256

# --- what people hold of the ledger, and merge ---
# records held whose parents are missing, and both halves of what names a cheat; some 4 MB
MAX_ORPHANS = 10_000
# of a slot, of trades that are not known, that go along with its card; honest people have one
MAX_WAIVES_UNKNOWN = 32
MAX_CARD_IMAGE = 256 * 1024  # bytes of an image; a drawing is 4 kB, a photograph of a card 100
# of a picture on the page, width by height; 16 MB in a browser, a phone has 3
MAX_FACE_POINTS = 4 * 1024 * 1024
# bytes of a file of records and images; all that a player keeps is half of it
MAX_BUNDLE = 128 * 1024 * 1024
MAX_BUNDLE_RECORDS = 200_000  # records in it; so many trades are 72 MB
MAX_BUNDLE_IMAGES = 10_000  # images in it; a creator's life
# that a range is split into; a level of them costs 16 times 30 bytes, and two levels a round trip
MERGE_PARTS = 16
# records of a range, then it is split; fewer are listed, which is 250 bytes at most
MERGE_LIST = 32
MERGE_MESSAGE = 60_000  # bytes of items in a message of a merge; with what wraps it, one frame
MERGE_WANTS = 2048  # records that a side asks for in a turn; trades of two cards are then 0.7 MB
# records that a side takes in a session; the next one brings the others
MAX_MERGE_RECORDS = 100_000
# bytes of these; from three quarters of it on no more is asked for
MAX_MERGE_BYTES = 64 * 1024 * 1024
# bytes of all else that it takes in; to list four million records takes as much
MAX_MERGE_LISTED = 32 * 1024 * 1024
# turns of the other side with ranges; two of them divide what is unequal by 16
MAX_MERGE_COMPARISONS = 24
MERGE_IMAGES = 64  # images asked for at once; the faces of an edition
MAX_MERGE_IMAGES = 1_000  # that the other side may ask for in a session; those of twenty editions
# records of a creator who is not trusted that a session takes, beside what is on the table
MAX_UNTRUSTED = 1_000

# --- trading of cards ---
MAX_OFFER = MAX_TRANSFERS  # cards that one side offers, or wishes for, at once; no trade takes more
# bytes of what names cheats that go with a letter, or with cards in a file: 1,500
MAX_ALARMS_SENT = 1024 * 1024
# bytes of a letter of a trade, with all that its cards rest on: 30,000 trades
MAX_TRADE_LETTER = 16 * 1024 * 1024
# bytes of a trade's content, or of a waive; 64 cards that were traded before take 7 kB
MAX_TRADE = 8 * 1024
# bytes of a payload around what is merged: salt, number, name, two revisions
MAX_TRADE_OVERHEAD = 128
# bytes of images that a session brings a side, and one more; a large edition's
MAX_TRADE_IMAGES = 16 * 1024 * 1024
MAX_TRUSTED_TOLD = 64  # creators that one says one trusts; few people collect from more
# changes of one side's offer in a session; for each the two compare what they know
MAX_OFFERS = 1_000
MAX_PROPOSALS = 1_000  # of one side in a session; people haggle some ten times
# trades that the other has signed and nobody here has answered; each is a question to a person
MAX_UNFINISHED = 8
MAX_TRADE_EVENTS = 10_000  # that wait for the screen; it takes them with every message
# bytes of records and images on disk, but for one's own cards; 150,000 trades
MAX_LEDGER_STORED = 64 * 1024 * 1024
