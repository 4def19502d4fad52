"""The job lifecycle: one event enters, a batch of settles comes out.

The twenty steps stand in modules of their own: `requests` (1 to 6), `claims` (5, 7, 11), `starts` (7 to 9), `work` (9),
`stops` (10, 11), `resumes` (12), `finishes` (13, 14), `deliveries` (3, 15), `failures` (16), `cancels` (17), `offers`
and `orders` (18), `scans` (19), `needs` (dependencies). `decisions` holds the table of every (state, event) pair;
`turn` is the working copy that a step settles on, `cells` a run in it.
"""
