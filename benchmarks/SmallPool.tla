---- MODULE SmallPool ----
\* The small keyed pool of small_pool.py, for TLC. A rule that would leave the pool as it is is not enabled.
EXTENDS Integers, Sequences, FiniteSets
CONSTANTS Bindings, Jobs, Generations
VARIABLES closed, fresh, roles, bound, keys, ends

Places == {0, 1}
Keys == {0, 1}
Nowhere == -1
WaitingMax == 1
Live == 0
Done == 1
Dropped == 2
Canceled == 3
Twice == 9

RECURSIVE InOrder(_)
InOrder(jobs) ==
  IF jobs = {} THEN <<>>
  ELSE LET first == CHOOSE x \in jobs : \A y \in jobs : x <= y IN <<first>> \o InOrder(jobs \ {first})

JobsOf(line) == {line[i] : i \in DOMAIN line}
OfKey(line, key) == {job \in JobsOf(line) : keys[job] = key}
Load(role) == Len(role.line) + (IF role.job = 0 THEN 0 ELSE 1)
BoundKeys == {key \in Keys : bound[key] # Nowhere}
Ended(jobs, how) ==
  [i \in DOMAIN ends |-> IF i \notin jobs THEN ends[i] ELSE IF ends[i] = Live THEN how ELSE Twice]
Served(role) ==
  IF role.up /\ role.job = 0 /\ role.line # <<>>
  THEN [role EXCEPT !.job = Head(role.line), !.given = role.generation, !.line = Tail(role.line)]
  ELSE role
Runs(place, key) == roles[place].job # 0 /\ keys[roles[place].job] = key

Submit(key) ==
  LET place == IF bound[key] # Nowhere THEN bound[key]
               ELSE IF Load(roles[1]) < Load(roles[0]) THEN 1 ELSE 0
      role == roles[place]
  IN /\ ~closed
     /\ Len(keys) < Jobs
     /\ bound[key] # Nowhere \/ Cardinality(BoundKeys) < Bindings
     /\ (role.up /\ role.job = 0) \/ Len(role.line) < WaitingMax
     /\ roles' = [roles EXCEPT ![place] = Served([role EXCEPT !.line = Append(role.line, Len(keys) + 1)])]
     /\ bound' = [bound EXCEPT ![key] = place]
     /\ keys' = Append(keys, key)
     /\ ends' = Append(ends, Live)
     /\ UNCHANGED <<closed, fresh>>

Complete(place) ==
  LET role == roles[place]
  IN /\ role.up
     /\ role.job # 0
     /\ roles' = [roles EXCEPT ![place] = Served([role EXCEPT !.job = 0, !.given = 0])]
     /\ ends' = Ended({role.job}, Done)
     /\ UNCHANGED <<closed, fresh, bound, keys>>

Stop(place) ==
  LET role == roles[place]
      waits == role.job # 0 /\ ~closed
      line == IF waits THEN InOrder(JobsOf(role.line) \cup {role.job}) ELSE role.line
  IN /\ role.up
     /\ roles' = [roles EXCEPT ![place] = [role EXCEPT !.up = FALSE, !.job = 0, !.given = 0, !.line = line]]
     /\ ends' = IF role.job # 0 /\ closed THEN Ended({role.job}, Canceled) ELSE ends
     /\ UNCHANGED <<closed, fresh, bound, keys>>

Ready(place) ==
  /\ ~roles[place].up
  /\ fresh < Generations
  /\ roles' = [roles EXCEPT ![place] = Served([roles[place] EXCEPT !.up = TRUE, !.generation = fresh])]
  /\ fresh' = fresh + 1
  /\ UNCHANGED <<closed, bound, keys, ends>>

Move(key) ==
  LET here == roles[0]
      there == roles[1]
      moved == OfKey(here.line, key)
      kept == [here EXCEPT !.line = InOrder(JobsOf(here.line) \ moved)]
      joined == [there EXCEPT !.line = InOrder(JobsOf(there.line) \cup moved)]
  IN /\ bound[key] = 0
     /\ ~Runs(0, key)
     /\ Cardinality(moved) + Len(there.line) <= WaitingMax
     /\ roles' = IF moved = {} THEN roles ELSE [roles EXCEPT ![0] = kept, ![1] = Served(joined)]
     /\ bound' = [bound EXCEPT ![key] = 1]
     /\ UNCHANGED <<closed, fresh, keys, ends>>

Unbind(key) ==
  LET place == bound[key]
      dropped == OfKey(roles[place].line, key)
  IN /\ place # Nowhere
     /\ ~Runs(place, key)
     /\ roles' = [roles EXCEPT ![place].line = InOrder(JobsOf(roles[place].line) \ dropped)]
     /\ ends' = Ended(dropped, Dropped)
     /\ bound' = [bound EXCEPT ![key] = Nowhere]
     /\ UNCHANGED <<closed, fresh, keys>>

Shutdown ==
  /\ ~closed
  /\ closed' = TRUE
  /\ ends' = Ended(JobsOf(roles[0].line) \cup JobsOf(roles[1].line), Canceled)
  /\ roles' = [place \in Places |-> [roles[place] EXCEPT !.line = <<>>]]
  /\ bound' = [key \in Keys |-> Nowhere]
  /\ UNCHANGED <<fresh, keys>>

Init ==
  /\ closed = FALSE
  /\ fresh = 2
  /\ roles = [place \in Places |-> [up |-> TRUE, generation |-> place, job |-> 0, given |-> 0, line |-> <<>>]]
  /\ bound = [key \in Keys |-> Nowhere]
  /\ keys = <<>>
  /\ ends = <<>>

Next ==
  \/ \E key \in Keys : Submit(key) \/ Unbind(key)
  \/ \E place \in Places : Complete(place) \/ Stop(place) \/ Ready(place)
  \/ Move(0)
  \/ Shutdown

OneEnd == \A i \in DOMAIN ends : ends[i] # Twice
BindingLimit == Cardinality(BoundKeys) <= Bindings
ShortLines == \A place \in Places : Len(roles[place].line) <= WaitingMax + 1
NobodyWaitsBesideFree == \A place \in Places : roles[place].up /\ roles[place].line # <<>> => roles[place].job # 0
OnTheirWorker ==
  \A place \in Places : roles[place].job # 0 => roles[place].up /\ roles[place].given = roles[place].generation
FreshGenerations ==
  /\ roles[0].generation # roles[1].generation
  /\ \A place \in Places : roles[place].generation < fresh
OnePlace ==
  /\ JobsOf(roles[0].line) \cap JobsOf(roles[1].line) = {}
  /\ roles[0].job # 0 => roles[0].job # roles[1].job
  /\ \A place, other \in Places : roles[place].job \notin JobsOf(roles[other].line)
InLine ==
  \A place \in Places : LET line == roles[place].line IN
    /\ \A i \in 1..(Len(line) - 1) : line[i] < line[i + 1]
    /\ \A i \in DOMAIN line : ends[line[i]] = Live /\ bound[keys[line[i]]] = place
Conserved == Len(keys) = Load(roles[0]) + Load(roles[1]) + Cardinality({i \in DOMAIN ends : ends[i] # Live})
====
