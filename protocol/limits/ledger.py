"""Limits of cards that people own, with their units and reasons."""

# --- cards ---
MAX_RECORD = 64 * 1024  # bytes of a record; the largest, a run of 512 types, has 20 kB
MAX_TRANSFERS = 64  # cards of one trade; a whole deck, and a trade of 5 kB
# waives that a trade lists; who was refused a card more often keeps it, and 64 waives have 9 kB
MAX_TRADE_WAIVES = 64
MAX_WITNESSES = 9  # witnesses that a creator names; two of them may lie, and seven agree
# characters of the name of a card type, a creator or rules; one line on the card
MAX_CARD_NAME = 60
MAX_EDITION = 40  # characters of an edition's name
MAX_CREATOR_LINK = 200  # characters of the link to a creator's updates
MAX_CARD_TEXT = 600  # characters of text on a card; what fits its lower half
# values of a card type, or values that rules ask for; printed cards have some ten
MAX_CARD_VALUES = 32
MAX_CARD_KEY = 40  # characters of a value's key
MAX_CARD_VALUE = 100  # characters of a value that is a text; a word or two
MAX_RUN_TYPES = 512  # card types of one run; large printed editions have 300
# bytes of a witness's statement in a proof that it lied; a path of 256 hashes has 9 kB
MAX_STATEMENT = 16 * 1024
# records that a witness stores as grounds of its own statements; some 500 MB, and a minute to read
# them again
MAX_WITNESS_RECORDS = 200_000
# bytes of a record that a witness accepts, so that it fits a message; a run of 512 types has 20 kB
MAX_RECORD_SENT = 48 * 1024
MAX_WITNESS_SENT = 64  # records in a message to a witness; their signatures take 6 ms to check
MAX_WITNESS_ASKED = 1024  # records that a witness is asked about at once; 34 kB
# bytes of the records that wait for one person's next offer; some 12,000 trades
MAX_WITNESS_POOL = 4 * 1024 * 1024
# bytes of the records that wait for offers of all people together
MAX_WITNESS_POOLED = 64 * 1024 * 1024
# records of a history that is judged anew for an offer; half a second
MAX_WITNESS_JUDGED = 20_000
JUDGED_A_FRAME = 4  # judged records that count as one frame; 25 us each
RECORD_COSTS = 2  # frames that a record sent to a witness counts as; two signatures are checked
MAX_PACK = MAX_TRANSFERS  # cards of a pack; one trade must be able to hand it over
# cards of one run; signed in three seconds, and the file with its opening has 2.3 MB
MAX_RUN_CARDS = 65_536
# sealed packs of one run; the terms of every sale have one bit for each: 1 kB
MAX_RUN_PACKS = 8192
# bytes of the file that opens a whole run: 34 for each card, 38 for each pack
MAX_RUN_OPENING = 4 * 1024 * 1024
# bytes of a sale's terms: one bit for each pack, and 63 cards as the price, 105 bytes each
MAX_TERMS = 16 * 1024
# bytes of the file that a creator's link leads to; 50 types with faces have 200 kB
MAX_UPDATE = 16 * 1024 * 1024
UPDATE_SECONDS = 30  # seconds to fetch the whole file, after which the link counts as dead
MAX_UPDATE_RECORDS = 20_000  # records in the file; two years of a busy creator's trades
# runs that a creator has on sale at once; nobody would read a longer list to its end
MAX_SHELF = 32
# bytes of an image that is sent with a pack in one message; larger images are sent as files
MAX_SALE_IMAGE = 48 * 1024
# seconds from a sale's terms to its end; programs take milliseconds, and nobody else can buy
# meanwhile
SALE_SECONDS = 60
# packs, merges and unfinished trades of one visit; each costs the creator a write
MAX_SALES_ASKED = 256

# --- ledgers of people, and their merge ---
# records stored although their parents are missing, and records that prove a cheat; some 4 MB
MAX_ORPHANS = 10_000
MAX_CARD_IMAGE = 256 * 1024  # bytes of an image; a drawing has 4 kB, a photograph of a card 100
# pixels of a picture on the page, width by height; 16 MB in a browser, and a phone has 3 million
MAX_FACE_POINTS = 4 * 1024 * 1024
# bytes of a file of records and images; everything that a player stores is half of it
MAX_BUNDLE = 128 * 1024 * 1024
MAX_BUNDLE_RECORDS = 200_000  # records in a file; this many trades have 72 MB
MAX_BUNDLE_IMAGES = 10_000  # images in a file; all cards of a creator's life
# parts that a range is split into; a level of parts costs 16 times 30 bytes, and a round trip
# handles two levels
MERGE_PARTS = 16
# records of a range, above which it is split; fewer are listed, in at most 250 bytes
MERGE_LIST = 32
# bytes of items in a message of a merge; with the rest of the message, one frame
MERGE_MESSAGE = 60_000
MERGE_WANTS = 2048  # records that a side asks for in one turn; trades of two cards then have 0.7 MB
# records that a side accepts in a session; the next session brings the others
MAX_MERGE_RECORDS = 100_000
# bytes of the records that a side accepts in a session; after three quarters of them it asks for no
# more
MAX_MERGE_BYTES = 64 * 1024 * 1024
# bytes of all other messages that a side accepts in a session; as much as a list of four million
# records
MAX_MERGE_LISTED = 32 * 1024 * 1024
# turns of the other side with ranges; two turns divide the ranges that differ by 16
MAX_MERGE_COMPARISONS = 24
MERGE_IMAGES = 64  # images asked for at once; the faces of an edition
# images that the other side may ask for in a session; those of twenty editions
MAX_MERGE_IMAGES = 1_000
# records of an untrusted creator that a session accepts, besides those of offered cards
MAX_UNTRUSTED = 1_000

# --- trading of cards ---
MAX_OFFER = MAX_TRANSFERS  # cards that one side offers, or wishes for, at once; no trade takes more
# bytes of alarms that are sent with a letter, or with cards in a file; 1,500 alarms
MAX_ALARMS_SENT = 1024 * 1024
# bytes of a letter in a trade, with all records that its cards depend on; 30,000 trades
MAX_TRADE_LETTER = 16 * 1024 * 1024
# records of a letter in a trade; as many trades fill it, and reading them takes 15 seconds
MAX_LETTER_RECORDS = 50_000
# records that a side compares in all merges of one session; a hundred changes of the offers, with
# histories of 20,000 records. Each takes 20 us
MAX_TRADE_COMPARED = 2_000_000
# bytes of the content of a trade or a waive; 64 cards that were traded before take 7 kB, and 64
# waives 2 kB
MAX_TRADE = 10 * 1024
# bytes of a payload besides its merge: salt, number, name, two revisions
MAX_TRADE_OVERHEAD = 128
# bytes of images that a side accepts in a session, plus one last image; a large edition
MAX_TRADE_IMAGES = 16 * 1024 * 1024
# creators that a person tells the other side it trusts; few people collect from more
MAX_TRUSTED_TOLD = 64
# changes of one side's offer in a session; each causes a comparison of the two ledgers
MAX_OFFERS = 1_000
MAX_PROPOSALS = 1_000  # proposals of one side in a session; people haggle some ten times
# trades that the other side has signed and this side has not answered; each is a question to a
# person
MAX_UNFINISHED = 8
# trades undone by an alarm that are counted for a person; what comes after them is no news
MAX_UNDONE_COUNTED = 1_000
# steps that a program takes on records in one turn of its loop, and payloads that wait meanwhile:
# a step takes some 20 us, and a comparison has some megabytes
LEDGER_STEPS = 1_000
MAX_TRADE_WAITING = 32 * 1024 * 1024  # bytes
MAX_TRADE_EVENTS = 10_000  # events that wait for the screen, which takes them with every message
# bytes of records and images on disk, without those of one's own cards; 150,000 trades
MAX_LEDGER_STORED = 64 * 1024 * 1024
