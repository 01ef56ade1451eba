"""Views: all that a seat may see, as plain data for every screen, with phrases in place of texts.

These frozen values stand below the games, which create boards and offers from their states.
`protocol.match.seat_view` creates the view of a whole match, `protocol.match.narration` the
narration of an entry.
"""
