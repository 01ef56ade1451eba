"""The table manager: seats players, orders what they post, routes what it cannot read."""
