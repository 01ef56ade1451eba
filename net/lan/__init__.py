"""People on the local network: announcements by multicast DNS, which are only unproven hints."""
