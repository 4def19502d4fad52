"""The keyed pool: roles with queues of their own, and bounded bindings of keys to roles."""
