"""Storage of a table: the interface, the journal of one machine, and stores that several hosts share."""
