"""The player's data folder: identity, contacts, known tables, logs, running matches."""
