"""Home: the page from which a person plays, joins a table, and looks at own matches."""
