"""GPFS (Spectrum Scale, Storage Scale): commands, parsers and models. Pure: no I/O here."""
