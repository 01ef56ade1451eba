"""What a table keeps on disk: its key, the journal, and the thread that writes it."""
