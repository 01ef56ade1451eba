"""Shops of creators, seen by a buyer: visits, purchases, and the shops of earlier visits."""
