"""What a room waits for after a claim: seats that come back, and what they hold of the log."""
