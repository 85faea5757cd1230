"""A far side that is not real: hosts, devices and mm* commands, in a process of its own.

    python -m simulator --scenario seed --dir DIR --speed N

starts SSH servers on the loopback, one a host, whose sessions run a real `/bin/sh` with simulated mm* commands
first in PATH; programs open one with `simulator.client.Simulation`. One idea a module:

- `clock`, `hardware`, `state`, `moves`, `timeline`, `scenario_seed`: what is so (pure, no sockets);
- `stanza`, `usage`, `tables`, `spacetable`, `lsblk`, `commands`, `changing`, `restripe`: the words;
- `shims`, `shimserver`, `sshd`, `processes`, `control`, `runtime`: how they are reached;
- `client`: for the program and the tests; it loads none of the others.
"""
