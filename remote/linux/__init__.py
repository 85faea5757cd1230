"""Linux block devices: commands, parsers and models. Pure: no I/O here."""
