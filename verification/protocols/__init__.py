"""The protocols that come along: their texts (`NAME.AnB`), and what comes out for each."""
