"""Recorded sessions, data only: read them with `importlib.resources.files("recordings")`."""
