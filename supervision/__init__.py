"""What is going on and what to do next; no terminal, no sockets."""
