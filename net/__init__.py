"""What both shells need of sockets and addresses."""
