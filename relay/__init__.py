"""A relay: passes sealed bytes between tables that only call out, and their guests."""
