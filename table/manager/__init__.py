"""The table manager: its listening server, one handler for each message, and the people who are here."""
