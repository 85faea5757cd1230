"""GFS2: what its tools say, as models. Pure: no I/O here."""
