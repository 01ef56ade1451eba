"""Messages: between table and player, parcels without a table, and table talk."""
