"""Players that are programs: a bot sees what its seat sees and picks one of its legal actions."""
