"""SSH: how a connection is opened and used. Few channels on it, few handshakes at once, every wait has an end."""
