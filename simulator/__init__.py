"""A far side that is not real: hosts, devices and mm* commands, in a process of its own.

    python -m simulator --scenario seed --dir DIR --speed N

starts SSH servers on the loopback, one a host, whose sessions run a real `/bin/sh` with simulated mm* commands
first in PATH; programs open one with `simulator.client.Simulation`. One idea a module:

- `clock`, `hardware`, `state`, `cluster`, `policies`, `dialects`, `scenario_*`, `building`: what is so;
- `moves`, `timeline`, `restripe`, `faults`: how it changes;
- `asking`, `reading`, `diskreading`, `changing`, `altering`, `removing`, `restriping`, `commands`: what is asked of it;
- `usage`, `stanza`, `ylines`, `*tables`, `spacetable`, `blockrows`, `lsblk`, `numbering`, `streams`: the words;
- `shims`, `shimserver`, `sshd`, `gate`, `machines`, `processes`, `operations`, `facts`, `control`, `runtime`: how it
  is reached;
- `client`: for the program and the tests; it loads none of the others.
"""
