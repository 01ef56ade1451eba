"""Bots: programs that play a seat. A bot gets the view of its seat and picks one of the offers."""
