"""Hundreds of random kills at random moments of a job's life, on real OpenSSH: `make campaign`.

A case is drawn from a seed and its number (`cases`), played on a server of its own (`playing`, `striking`), and held
to what docs/job-protocol.md promises (`verdict`). `python -m tests.campaign` plays many in several processes
(`worker`) and writes the tally (`tally`). The seed repeats the draw, not what the scheduler does: the same case may hit
another line of the same script.
"""
