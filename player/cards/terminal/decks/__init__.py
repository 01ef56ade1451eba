"""`fairdeal cards deck`: decks at the command line."""
