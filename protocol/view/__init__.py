"""What a seat may see, as plain data for every screen: frozen values without a word in them, and
how to say them.

The values stand below the games, which make boards and offers of their own states and draw them; a
whole view of a match is made by `protocol.match.seat_view`, and what an entry comes to by
`protocol.match.narration`.
"""
