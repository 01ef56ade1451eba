"""What table and players must agree on: pure functions over bytes, `now` and a random source."""
