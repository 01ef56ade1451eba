"""Who is on the local network: announcements by multicast DNS, which are hints and nothing more."""
