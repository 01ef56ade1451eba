"""Sockets and addresses, as shared by table and player."""
