"""The place of the socket in a table's folder; a command needs no more of the table's program."""

SOCKET_FILE = "commands.sock"
