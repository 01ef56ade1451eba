"""Making cards, and selling them in sealed packs: for whoever wants to be a creator."""
