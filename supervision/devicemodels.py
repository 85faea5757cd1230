"""What is known of models of disks beyond what a kernel tells."""

from __future__ import annotations

_PROTECTED = (
    "SSDSC2BA",  # Intel DC S3700 and S3710
    "SSDSC2BB",  # Intel DC S3500, S3510 and S3520
    "SSDSC2BX",  # Intel DC S3610
    "SSDSC2KB",  # Intel D3-S4510 and S4520
    "SSDSC2KG",  # Intel D3-S4610 and S4620
    "SSDPEDMD",  # Intel DC P3700
    "SSDPE2MD",
)
"""Models whose data sheets promise that what is in their cache is written when the power fails."""


def power_loss_protected(model: str) -> bool:
    """Whether a model is known to lose nothing of its write cache; False where nobody knows."""
    return any(name in model.upper() for name in _PROTECTED)
