"""What a player keeps on disk: identity, contacts, known tables, logs, running matches."""
