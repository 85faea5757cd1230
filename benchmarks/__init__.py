"""Benchmarks: every figure is a ratio to a named peer that ran in the same rounds. `make bench` runs all of them."""
