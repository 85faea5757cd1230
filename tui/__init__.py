"""The program: command line, application, settings. Importing this package imports nothing else."""
