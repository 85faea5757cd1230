"""A far side that is not real: hosts, devices and mm* commands, in a process of its own."""
