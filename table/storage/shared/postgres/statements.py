"""The tables of a store in a database, and each call of `table.storage.shared.backend.StoreBackend` as one statement.

`ends` has the number of the newest item of each subject: an append moves it, and only from the
number that it names, so of two only one finds it there. That one row is what orders them; locks and
sessions fence nothing. `bytes` is what the items of a subject take, and `at` of an item when it was
appended, by the database's clock: of first items there is an index by that time.
"""

SCHEMA = """
CREATE TABLE IF NOT EXISTS fairdeal_ends (
    subject text PRIMARY KEY, number bigint NOT NULL, bytes bigint NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS fairdeal_items (
    subject text NOT NULL, number bigint NOT NULL, data bytea NOT NULL, at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (subject, number)
);
CREATE UNLOGGED TABLE IF NOT EXISTS fairdeal_beats (host text PRIMARY KEY, number bigint NOT NULL, data bytea NOT NULL)
"""
# columns that the tables of an earlier program lack: its matches count as begun now, and as no bytes
COLUMNS = {
    (
        "fairdeal_ends",
        "bytes",
    ): "ALTER TABLE fairdeal_ends ADD COLUMN bytes bigint NOT NULL DEFAULT 0",
    (
        "fairdeal_items",
        "at",
    ): "ALTER TABLE fairdeal_items ADD COLUMN at timestamptz NOT NULL DEFAULT now()",
}
HAS_COLUMN = """
SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = %s AND NOT attisdropped
"""
INDEXES = """
CREATE INDEX IF NOT EXISTS fairdeal_names ON fairdeal_ends (subject COLLATE "C");
CREATE INDEX IF NOT EXISTS fairdeal_begun ON fairdeal_items (at, subject) WHERE number = 1
"""
# 280 are the bytes of an item besides its data, with its places in indexes, as measured
BEGIN = """
WITH moved AS (
    INSERT INTO fairdeal_ends (subject, number, bytes)
    VALUES (%(subject)s, 1, octet_length(%(data)s::bytea) + 280) ON CONFLICT DO NOTHING RETURNING number
)
INSERT INTO fairdeal_items SELECT %(subject)s, number, %(data)s FROM moved RETURNING number
"""
# of several subjects at once; what another has appended to meanwhile gives no row
APPEND_GROUP = """
WITH given AS (
    SELECT * FROM unnest(%(subjects)s::text[], %(afters)s::bigint[], %(data)s::bytea[]) AS each (subject, after, data)
), moved AS (
    UPDATE fairdeal_ends AS ends SET number = ends.number + 1, bytes = ends.bytes + octet_length(given.data) + 280
    FROM given WHERE ends.subject = given.subject AND ends.number = given.after
    RETURNING ends.subject, ends.number, given.data
)
INSERT INTO fairdeal_items (subject, number, data) SELECT subject, number, data FROM moved RETURNING subject, number
"""
NEXT = (
    "SELECT number, data FROM fairdeal_items WHERE subject = %s AND number > %s ORDER BY number "
    "LIMIT 1"
)
LAST = "SELECT number, data FROM fairdeal_items WHERE subject = %s ORDER BY number DESC LIMIT 1"
# `wall`: Unix seconds of the host
LAST_AGED = """
SELECT number, data, extract(epoch FROM least(now(), to_timestamp(%(wall)s::double precision)) - at)
FROM fairdeal_items WHERE subject = %(subject)s ORDER BY number DESC LIMIT 1
"""
# first items behind a time and a subject, of subjects between two others
OLDEST = """
SELECT subject, at, extract(epoch FROM least(now(), to_timestamp(%(wall)s::double precision)) - at) FROM fairdeal_items
WHERE number = 1 AND (at, subject) > (%(at)s, %(subject)s)
    AND subject COLLATE "C" >= %(first)s AND subject COLLATE "C" < %(end)s
ORDER BY at, subject LIMIT %(most)s
"""
# A sum over narrow rows, every five minutes: 0.13 s for 300,000. A total in a row of each connection would
# wait for nobody, but makes each append a third dearer for the server
HELD = """
SELECT count(*), coalesce(sum(bytes), 0) FROM fairdeal_ends
WHERE subject COLLATE "C" >= %s AND subject COLLATE "C" < %s
"""
PURGE = """
WITH ended AS (DELETE FROM fairdeal_ends WHERE subject = %(subject)s AND number = %(last)s RETURNING bytes),
gone AS (DELETE FROM fairdeal_items WHERE subject = %(subject)s AND EXISTS (SELECT FROM ended))
SELECT greatest(bytes, 1) FROM ended
"""
TRIM = """
WITH gone AS (
    DELETE FROM fairdeal_items WHERE subject = %(subject)s AND number < %(first)s
    RETURNING octet_length(data) + 280 AS size
)
UPDATE fairdeal_ends SET bytes = greatest(0, bytes - (SELECT coalesce(sum(size), 0) FROM gone))
WHERE subject = %(subject)s
"""
# subjects between a prefix and what follows all subjects with it. By bytes (collation C), so that an
# index finds them: a store has subjects of all matches that ever were
NAMES = """
SELECT subject FROM fairdeal_ends WHERE subject COLLATE "C" >= %s AND subject COLLATE "C" < %s
ORDER BY subject COLLATE "C"
"""
ERASE = """
WITH gone AS (DELETE FROM fairdeal_items WHERE subject = %(subject)s)
DELETE FROM fairdeal_ends WHERE subject = %(subject)s
"""
BEAT = """
INSERT INTO fairdeal_ends VALUES (%s, 1) ON CONFLICT (subject) DO UPDATE SET number = fairdeal_ends.number + 1
RETURNING number
"""
ANNOUNCE = """
INSERT INTO fairdeal_beats VALUES (%(host)s, 1, %(data)s)
ON CONFLICT (host) DO UPDATE SET number = fairdeal_beats.number + 1, data = %(data)s
"""
HEAR = "SELECT host, number, data FROM fairdeal_beats"
SETTINGS = """
SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
    current_setting('synchronous_standby_names') <> '', pg_is_in_recovery(),
    CASE WHEN pg_is_in_recovery() THEN '0' ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END
"""  # the first letters of a log file's name are its timeline, which is more recent than what the control file has
