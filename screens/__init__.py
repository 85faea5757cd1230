"""The screens of the terminal program, one file a screen. None exists yet: the program runs headless."""
