"""Creation of cards, and their sale in sealed packs."""
