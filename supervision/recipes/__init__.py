"""Guided migrations, one small module each."""
