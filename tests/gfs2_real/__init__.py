"""GFS2's tools run for real: on sparse images made here, over real OpenSSH."""
