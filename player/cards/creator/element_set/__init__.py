"""The element set: fifty card types with images, ready to use."""
