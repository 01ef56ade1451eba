"""A store in a PostgreSQL database: on one server, or with synchronous standbys."""
