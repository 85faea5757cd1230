"""The far side: SSH, detached jobs, recordings, and the words each file system speaks."""
