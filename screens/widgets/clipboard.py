"""Copying to the clipboard of the person who looks: by a tool where a display is here, else through the terminal.

OSC 52 asks the terminal to take a text; it works over SSH. tmux and GNU screen pass it on only when it is wrapped.
Nobody answers, so what is said afterwards claims no more than was done.
"""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
import sys
from collections.abc import Mapping
from typing import Any

from textual.app import App

LIMIT = 74_994
"""Characters of base64 that terminals are known to take in one OSC 52."""
SCREEN_CHUNK = 240
"""GNU screen drops longer device control strings."""
TOOL_SECONDS = 3.0
ESC, BEL = "\x1b", "\x07"
ST = ESC + "\\"


class ClipboardError(Exception):
    """The terminal cannot be asked; the text says why."""


def osc52(text: str, env: Mapping[str, str]) -> str:
    """What makes the terminal take `text`, wrapped for what stands between. Raises ClipboardError."""
    term = env.get("TERM", "")
    if term in ("", "dumb", "linux"):
        raise ClipboardError(f"not copied: the terminal (TERM={term or 'not set'}) has no clipboard")
    data = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
    if len(data) > LIMIT:
        raise ClipboardError(
            f"not copied: too long for the terminal's clipboard ({len(data):,} of at most {LIMIT:,} characters of"
            " base64); save it to a file instead"
        )
    sequence = f"{ESC}]52;c;{data}{BEL}"
    if _in_tmux(env):
        return f"{ESC}Ptmux;{sequence.replace(ESC, ESC + ESC)}{ST}"
    if env.get("STY") or term.startswith("screen"):
        chunks = [sequence[start : start + SCREEN_CHUNK] for start in range(0, len(sequence), SCREEN_CHUNK)]
        return "".join(f"{ESC}P{chunk}{ST}" for chunk in chunks)
    return sequence


def native_tool(env: Mapping[str, str], platform: str = sys.platform) -> tuple[str, ...]:
    """The tool that reaches a clipboard on this machine; none over SSH, whose display is elsewhere."""
    if any(env.get(name) for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")):
        return ()
    tools: list[tuple[str, ...]] = []
    if platform == "darwin":
        tools.append(("pbcopy",))
    if env.get("WAYLAND_DISPLAY"):
        tools.append(("wl-copy",))
    if env.get("DISPLAY"):
        tools += [("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")]
    return next((tool for tool in tools if shutil.which(tool[0], path=env.get("PATH"))), ())


async def copy(app: App[Any], text: str, *, what: str = "", env: Mapping[str, str] | None = None) -> str:
    """Copy a text, and say in words what was done. `what` names it; its length does otherwise."""
    env = os.environ if env is None else env
    what = what or f"{len(text):,} characters"
    tool = native_tool(env)
    if tool and await _fed(tool, text, env):
        return f"copied {what} with {tool[0]}"
    try:
        sequence = osc52(text, env)
    except ClipboardError as error:
        return str(error)
    if not _write(app, sequence):
        return "not copied: there is no terminal"
    if env.get("TMUX"):
        # tmux passes wrapped sequences on only where its owner allowed that; its own buffer always works
        if await _fed(("tmux", "load-buffer", "-w", "-"), text, env):
            return f"copied {what} to tmux and through it to the terminal (OSC 52)"
        return f"sent {what} through tmux to the terminal (OSC 52; tmux needs allow-passthrough)"
    return f"copied {what} through the terminal (OSC 52)"


def _in_tmux(env: Mapping[str, str]) -> bool:
    return bool(env.get("TMUX")) or env.get("TERM", "").startswith("tmux")


def _write(app: App[Any], sequence: str) -> bool:
    """Through the driver's own queue, so that it stands between two frames and never inside one."""
    driver = app._driver  # noqa: SLF001  # textual has no public way to write a sequence of one's own
    if driver is None:
        return False
    driver.write(sequence)
    driver.flush()
    return True


async def _fed(argv: tuple[str, ...], text: str, env: Mapping[str, str]) -> bool:
    """Whether a tool took the text. Its output goes nowhere: xclip stays behind and would hold a pipe open."""
    program = shutil.which(argv[0], path=env.get("PATH"))
    if program is None:
        return False
    nowhere = asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(
            program, *argv[1:], stdin=asyncio.subprocess.PIPE, stdout=nowhere, stderr=nowhere, env=dict(env)
        )
    except OSError:
        return False
    try:
        async with asyncio.timeout(TOOL_SECONDS):
            await process.communicate(text.encode("utf-8", "replace"))
    except (TimeoutError, OSError):
        if process.returncode is None:
            process.kill()
        return False
    return process.returncode == 0
