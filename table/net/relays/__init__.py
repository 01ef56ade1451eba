"""A table behind relays: it calls out to them, and opens a line for each guest."""
