"""A moment of a recorded run, and what the file system makes of its scan."""

from __future__ import annotations

from dataclasses import dataclass

from supervision.filesystem import FileSystem, Finish, Progress
from supervision.state import Job, State


@dataclass
class Scene:
    """What is known at a moment, and what is made of it."""

    state: State
    fs: FileSystem

    @property
    def job(self) -> Job:
        job = self.fs.scan_job(self.state)
        assert job is not None
        return job

    @property
    def progress(self) -> Progress:
        return self.fs.progress(self.state, self.job)

    @property
    def finish(self) -> Finish:
        finish = self.progress.finish
        assert finish is not None
        return finish
