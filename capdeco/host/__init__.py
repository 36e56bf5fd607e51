"""Hosts: the protocol that they keep, and the embedded one."""
