"""Remote bytes made safe: decoding never fails, and nothing that steers a terminal survives.

Bidirectional controls, C1 and characters without a shape are removed as well as C0: a device name must read as what
it is.
"""

from __future__ import annotations

import re

_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)


def decode(data: bytes) -> str:
    """Decode bytes of the far side. Bytes that are not UTF-8 become `\\xNN`, so they stay visible."""
    return data.decode("utf-8", errors="backslashreplace")


def safe(text: str) -> str:
    """Return `text` with every character that could steer a terminal shown as U+FFFD; tab and newline stay."""
    return _UNSAFE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """Like `safe`, folded to a single line."""
    return " ".join(safe(text).split())


def name_part(text: str) -> str:
    """A text as a part of a file's name or a job's id: letters, digits, dot, dash and `_`, as `/dev/vg0/data` is
    `dev-vg0-data`.
    """
    return _NO_NAME.sub("-", text).strip("-.")[:80] or "x"


def last_lines(data: bytes, count: int = 5) -> str:
    """The last `count` non-empty lines, safe to show; what an error message quotes."""
    lines = [line for line in safe(decode(data[-16384:]).replace("\r", "\n")).split("\n") if line.strip()]
    return "\n".join(lines[-count:])
