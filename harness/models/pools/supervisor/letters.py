"""The letters of the world around a supervisor, and what each of them means."""

from __future__ import annotations

from collections.abc import Mapping

LETTERS: Mapping[str, str] = {
    "initialize": "the supervisor begins",
    "status": "somebody asks how all roles are",
    "capability ROLE": "somebody asks for the role's proxy",
    "unknown": "somebody asks for the proxy of a role that there is not",
    "shutdown": "the supervisor is told to end",
    "advance ROLE": "the good answer to the oldest open question about the role",
    "refuse ROLE": "the bad answer to it",
    "cross ROLE": "the good answer, from the next role's proxy",
    "forge ROLE": "the good answer; one that names an operation has another ticket",
    "disown ROLE": "the bad answer; one that names an operation has another ticket",
    "damage ROLE": "the bad answer; an operation that comes back is damaged",
    "withhold ROLE": "the bad answer; an operation that comes back was never tried",
    "abort ROLE": "no proxy of the role is made, since its first step fails",
    "stop ROLE": "the role's oldest living worker ends abnormally; with none living its last one is told again",
    "leave ROLE": "it ends normally",
    "lose ROLE": "the report of that end is refused on its way",
    "exit ROLE": "the role's proxy ends, also before its birth is answered",
    "call ROLE": "the role's proxy could not serve a command",
    "advance recovery": "the good answer to the oldest open question about a recovery: its workers, its timer",
    "refuse recovery": "the bad answer to it",
    "cut recovery": "the source makes the first worker it is asked for, and gives up at the second",
    "deny recovery": "the source makes nothing",
    "advance deadline": "the drain timer is taken, then goes off",
    "refuse deadline": "the drain timer is refused",
    "deliver SENT": "the latest event, reply or diagnostic has arrived; once that is told, it is told again",
    "bounce SENT": "it is refused on its way",
    "mangle SENT": "it is damaged on its way",
    "drop SENT": "it was never tried",
}
"""What each letter means."""
