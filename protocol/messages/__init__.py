"""Everything that travels: messages of table and player, parcels without a table, table talk."""
