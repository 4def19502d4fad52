"""The job lifecycle: one event enters, a batch of settles comes out.

The twenty steps stand in modules of their own: `requests` (1 to 6), `starts` (7 to 9), `work` (9), `stops` (10, 11),
`resumes` (12), `finishes` (13 to 15), `failures` (16), `cancels` (17), `offers` (18), `scans` (19). `decisions` holds
the table of every (state, event) pair; `turn` is the working copy that a step settles on.
"""
