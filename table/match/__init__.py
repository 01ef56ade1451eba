"""A running match at a table: its log and fold, its readers, its clock."""
