"""Of rounds of Ligretto, simulated."""
