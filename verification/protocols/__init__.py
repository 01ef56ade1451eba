"""Built-in protocols: their texts (`NAME.AnB`), and the expected verdict for each."""
