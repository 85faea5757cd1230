"""Tests of the simulated far side."""
