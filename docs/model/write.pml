/* SPDX-License-Identifier: Apache-2.0
 *
 * The write leases of docs/remote-writes.md: one slot, AGENTS agents that each write a block of their
 * own by it, a DataNode that is killed or loses power, and HDFS, which recovers and deletes blocks.
 * Checked by ./check:
 *   safety    no byte reaches the slot's extents when they are not the writer's (in land), a
 *             committed replica never changes (there too), and no acknowledged byte is lost (STANDS)
 *   liveness  the slot of a writer that is gone comes back (ltl back)
 *
 * A block is one write. It may reach the device at any time within LATEST ticks, any number of times
 * (a fabric repeats commands, and a first try may come behind the second), or not at all.
 *
 * Time: as in lease.pml, every timer counts ticks of the DataNode's clock, and any number of ticks may
 * pass between two steps. The margin covers the drift to the tick: an agent's lease is TERM at most.
 *
 * What else may happen, each in a run of its own:
 *   COPIES     the agent's host has an older copy of the device, and writes to that
 *   PAUSES     the agents' machines stand still for as long as they like: their clocks, and their
 *              writes under way with them
 *   FENCE      the DataNode has the device refuse an agent's host before it gives its slot away
 *   RECYCLE    a deleted block's very file is a slot again; somebody reads the first agent's block by a
 *              lease, whose pin is a link of the file, somebody else has the file open, and a power
 *              loss takes a deletion back
 *
 * Each rule can be taken out by a macro, and then ./check must find a counterexample: see there.
 */
#ifndef AGENTS
#define AGENTS 2
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#define LAST    (AGENTS - 1)
#ifndef TERM
#define TERM    2   /* lease term                                             */
#endif
#define LATEST  2   /* ticks after it was sent a write may reach the device   */
#ifdef SHORT_IO
#define IO_TIME 0
#else
#define IO_TIME LATEST /* what the DataNode takes for that                    */
#endif
#ifdef NO_GRACE
#define GRACE   0
#else
#define GRACE   (TERM + IO_TIME)
#endif

mtype = { POOL, LEASED, QUARANTINE, RBW, FINAL, GONE,                  /* where the slot's name is */
  NONE, ALLOCATE, RENEW, COMMIT, ABORT, GRANTED, REFUSED, COMMITTED,   /* an agent's mail          */
  ABSENT, WRITTEN, RECOVERED, FINALIZED, DROPPED };                    /* HDFS's replica           */

/* The volume. GONE: the extents are free, or another file's. */
mtype slot = POOL;
byte owner = 0;          /* whose block the slot is for               */
bool durable = true;     /* its last move survives a power loss       */
byte content = 0;        /* whose bytes are in it, agent + 1          */
bool flushed = true;     /* ... and survive a power loss              */
#ifdef DATA_FIRST
bool meta = false;       /* the meta file is whole                    */
#endif

/* The plugin. */
bool up = true;
byte incarnation = 0;
bool staging = false;    /* a slot is on its way to an agent          */
bool committing = false; /* the commit's thread is the replica's writer */
byte held = 0;           /* ticks until the slot may be somebody else's */
#ifdef FORGET_SLOTS
bool forgotten = false;
#else
#define forgotten false
#endif
mtype rep[AGENTS];       /* each block's replica, as HDFS knows it    */

/* The agents. */
mtype mail[AGENTS];
byte valid[AGENTS];      /* ticks left of the write lease, at worst   */
byte asked[AGENTS];      /* the same for an answer under way          */
byte lease_of[AGENTS];   /* incarnation that granted it               */
bool about[AGENTS];      /* has looked at the lease and goes to send  */
bool fly[AGENTS];        /* the write is sent and not answered        */
byte io[AGENTS];         /* ticks in which it may reach the device    */
bool answered[AGENTS];   /* the write was answered                    */
bool acked[AGENTS];      /* the writer was told that its bytes are safe, and nobody deleted them */
#ifdef LIVENESS
bool over = false;       /* the agent has ended                       */
#endif
#ifdef COPIES
bool astray[AGENTS];     /* the agent writes to a copy                */
#endif
#ifdef FENCE
bool registered[AGENTS]; /* the device takes writes of the agent's host */
bool anew[AGENTS];       /* ... by another key than when the slot was lent */
bool quiet = false;      /* the slot's last lease was given up with nothing under way */
#define MAY_LAND(w) (io[w] > 0 && registered[w])
#else
#define MAY_LAND(w) (io[w] > 0)
#endif

#ifdef RECYCLE
bool pinned = false;     /* a read lease on agent 0's block, and I behind it, is not over */
bool opened = false;     /* somebody has its file open                */
byte opening = 0;        /* ticks in which who found its name may open it */
bool erased = true;      /* a deletion survives a power loss          */
#ifdef NO_LINK_COUNT
#define UNLINKED true
#else
#define UNLINKED (!pinned)
#endif
#ifdef NO_REST
#define REST    0
#else
#define REST    IO_TIME
#endif
#endif

#define ITS(w)      (slot != POOL && slot != GONE && owner == w)
#define HAS_FILE(w) (slot == RBW && owner == w)
#define STANDS(w)   (!acked[w] || (rep[w] == FINALIZED && slot == FINAL && owner == w && content == w + 1))

inline look() {
  assert(STANDS(0));
  assert(STANDS(LAST))
}

inline tick(timer) {
  if :: timer > 0 -> timer-- :: else fi
}

/* A process that has looked at its lease and was stopped is killed by a timer of the kernel's at the
 * lease's end. */
inline tick_agent(w) {
  tick(asked[w]);
  if
  :: valid[w] > 0 -> valid[w]--;
#ifndef NO_TIMER
     if :: valid[w] == 0 -> about[w] = false :: else fi
#endif
  :: else
  fi
}

/* A machine that stands still keeps what it has under way; what has been answered it sends no more. */
#ifdef PAUSES
#define IO_GOES_ON(w) (!fly[w])
#else
#define IO_GOES_ON(w) true
#endif
inline tick_io(w) {
  if
  :: io[w] > 0 && IO_GOES_ON(w) -> io[w]--;
     if :: io[w] == 0 -> fly[w] = false :: else fi
  :: else
  fi
}

active proctype Clock() {
  byte w = 0;
  do
#ifdef PAUSES
  :: atomic {
#else
  :: d_step {
#endif
       tick(held);
#ifdef RECYCLE
       tick(opening);
#endif
       w = 0;
       do
       :: w < AGENTS ->
#ifdef PAUSES
          if :: true -> tick_agent(w) :: true -> skip fi;
#else
          tick_agent(w);
#endif
          tick_io(w);
          w++
       :: else -> break
       od;
       w = 0
     }
  od
}

/* The write reaches the device. */
inline land(w) {
  assert(ITS(w));
  assert(slot != FINAL || content == w + 1);
  if :: content != w + 1 -> content = w + 1; flushed = false :: else fi;
  if :: fly[w] -> fly[w] = false; answered[w] = true :: else fi;
  look()
}

proctype Fabric(byte w) {
  do
#ifdef COPIES
  :: atomic { MAY_LAND(w) && !astray[w] -> land(w) }
  :: atomic { MAY_LAND(w) && astray[w] -> fly[w] = false; answered[w] = true; io[w] = 0 }
#else
  :: atomic { MAY_LAND(w) -> land(w) }
#endif
#ifdef FENCE
  :: atomic { fly[w] && !registered[w] -> fly[w] = false; io[w] = 0 }
  /* A host that was shut out registers again, and nothing of before counts any more. */
#ifdef EAGER_REGISTER
  :: atomic { !registered[w] ->
#else
  :: atomic { !registered[w] && !fly[w] && !about[w] ->
#endif
       registered[w] = true; valid[w] = 0;
#ifdef KEEP_ANSWERS
       skip
#else
       asked[w] = 0
#endif
     }
  /* One that has lost its lease, or hears that it will be shut out, does so before, when nothing can
   * come any more. */
#ifdef ANEW_EARLY
  :: atomic { registered[w] && !anew[w] && valid[w] == 0 && !fly[w] && !about[w] ->
#else
  :: atomic { registered[w] && !anew[w] && valid[w] == 0 && !fly[w] && !about[w] && io[w] == 0 ->
#endif
       anew[w] = true;
#ifdef ANEW_ANSWERS
       skip
#else
       asked[w] = 0
#endif
     }
#endif
  od
}

#ifdef COUNT_FROM_REPLY
#define COUNTED TERM
#else
#define COUNTED asked[w]
#endif
#ifdef UNCHECKED
#define MAY_SEND true
#else
#define MAY_SEND (valid[w] > 0)
#endif
#ifdef COMMIT_UNQUIET
#define WROTE (sent && !about[w])
#else
#define WROTE answered[w]
#endif

/* Its lease ends first, then the DataNode hears of it. */
proctype Agent(byte w) {
  bool sent = false;
  bool ended = false;
ask:
  atomic { slot == POOL && mail[w] == NONE -> mail[w] = ALLOCATE; asked[w] = TERM };
  if
  :: atomic { mail[w] == GRANTED && COUNTED > 0 ->
       mail[w] = NONE; valid[w] = COUNTED; asked[w] = 0;
#ifdef COPIES
       if :: true -> astray[w] = true :: true -> skip fi
#else
       skip
#endif
     }
  :: atomic { mail[w] == GRANTED && COUNTED == 0 -> mail[w] = NONE; goto end }
  :: atomic { mail[w] == ALLOCATE && !up -> mail[w] = NONE; asked[w] = 0; goto ask }
  fi;
  do
  :: atomic { MAY_SEND && !sent -> sent = true; about[w] = true }
  :: atomic { about[w] -> about[w] = false; fly[w] = true; io[w] = LATEST }
  :: atomic { valid[w] == 1 && mail[w] == NONE && !ended -> mail[w] = RENEW; asked[w] = TERM }
  :: atomic { mail[w] == GRANTED && !ended -> mail[w] = NONE;
       if :: COUNTED > valid[w] -> valid[w] = COUNTED :: else fi;
       asked[w] = 0 }
  :: atomic { mail[w] == REFUSED && !ended -> mail[w] = NONE; asked[w] = 0 }
  :: atomic { mail[w] == RENEW && !up -> mail[w] = NONE; asked[w] = 0 }
  :: atomic { WROTE && mail[w] == NONE && !about[w] && !ended ->
       ended = true; mail[w] = COMMIT;
#ifdef COMMIT_FIRST
       sent = false;
#else
       valid[w] = 0;
#endif
#ifdef NO_FLUSH
       skip
#else
       if :: content == w + 1 -> flushed = true :: else fi
#endif
     }
  :: atomic { mail[w] == NONE && !about[w] && !ended ->
       ended = true; mail[w] = ABORT;
#ifdef ABORT_FIRST
       skip
#else
       valid[w] = 0; goto end
#endif
     }
  :: atomic { mail[w] == COMMITTED -> mail[w] = NONE; acked[w] = true; look(); goto end }
  :: atomic { mail[w] == REFUSED && ended -> mail[w] = NONE; goto end }
  :: atomic { !ended -> about[w] = false; valid[w] = 0; asked[w] = 0; goto end }    /* dies */
  od;
end:
#ifdef LIVENESS
  over = true
#else
  skip
#endif
}

#define ALIVE (up && incarnation == mine)

#ifdef OLD_INCARNATION
#define MINE(w) true         /* leases of each incarnation have the same numbers */
#else
#define MINE(w) (owner == w && lease_of[w] == incarnation)
#endif
#ifdef NO_CAS
#define FREE_TO_COMMIT(w) true
#define JOINED(w) true
#else
#define FREE_TO_COMMIT(w) (rep[w] == WRITTEN)
#define JOINED(w) (!committing || owner != w)
#endif
#ifdef RENEW_ENDED
#define RENEWABLE(w) ((slot == LEASED || slot == QUARANTINE) && owner == w && lease_of[w] == incarnation)
#else
#define RENEWABLE(w) (slot == LEASED && MINE(w) && held > IO_TIME)
#endif

/* One request of an agent's at a time; a crash in the middle drops it. */
proctype DataNode(byte w) {
  byte mine = 0;
  do
  :: atomic { up && mail[w] == ALLOCATE && slot == POOL && rep[w] == ABSENT ->
       mine = incarnation; staging = true; slot = LEASED; owner = w; rep[w] = WRITTEN; durable = false };
#ifndef NO_DURABLE_STAGE
     atomic { if :: ALIVE -> durable = true :: else -> goto next fi };
#endif
     atomic {
       if
       :: ALIVE -> staging = false; held = TERM + IO_TIME; lease_of[w] = incarnation;
#ifdef FENCE
          quiet = false; anew[w] = false;
#endif
          mail[w] = GRANTED
       :: else
       fi;
       goto next }
  :: atomic { up && mail[w] == RENEW ->
       if
       :: RENEWABLE(w) ->
          if :: slot == LEASED -> held = TERM + IO_TIME :: else fi;
          mail[w] = GRANTED
       :: else -> mail[w] = REFUSED
       fi }
  :: atomic { up && mail[w] == ABORT ->
       mail[w] = NONE;
       if
       :: slot == LEASED && !staging && !committing && MINE(w) ->
#ifdef NO_QUARANTINE
          slot = POOL; held = 0;
#else
          slot = QUARANTINE; held = IO_TIME;
#endif
#ifdef FENCE
          quiet = !fly[w];
#endif
          if :: rep[w] == WRITTEN -> rep[w] = DROPPED :: else fi
       :: else
       fi }
  :: atomic { up && mail[w] == COMMIT && slot == FINAL && owner == w && rep[w] == FINALIZED && !committing ->
       durable = true; mail[w] = COMMITTED }                /* asked for again */
  :: atomic { up && mail[w] == COMMIT && !(slot == FINAL && owner == w && rep[w] == FINALIZED) ->
       if
       :: slot == LEASED && !staging && !committing && MINE(w) && FREE_TO_COMMIT(w) ->
          mine = incarnation; committing = true;
#ifdef NO_HOLD
          held = 0                            /* no link of its own: HDFS's name alone keeps the file */
#else
          held = IO_TIME
#endif
       :: else -> mail[w] = REFUSED; goto next
       fi };
     atomic {                                 /* read back */
       if
       :: !ALIVE -> goto next
#if defined(COPIES) && !defined(NO_READ_BACK)
       :: ALIVE && astray[w] ->
          slot = QUARANTINE; committing = false; rep[w] = DROPPED; mail[w] = REFUSED; goto next
       :: ALIVE && !astray[w] -> skip
#elif defined(OLD_INCARNATION)
       :: ALIVE && owner != w ->
          slot = QUARANTINE; committing = false; mail[w] = REFUSED; goto next
       :: ALIVE && owner == w -> skip
#else
       :: ALIVE -> skip
#endif
       fi };
     atomic { if :: ALIVE -> slot = RBW; durable = false :: else -> goto next fi };   /* rename */
#ifdef DATA_FIRST
     atomic { if :: ALIVE -> meta = true :: else -> goto next fi };
#endif
     atomic {                                 /* finalize */
       if
       :: ALIVE -> rep[w] = FINALIZED;
          if :: slot == RBW -> slot = FINAL :: else fi;
#ifdef ANSWER_EARLY
          mail[w] = COMMITTED
#else
          skip
#endif
       :: else -> goto next
       fi };
     atomic { if :: ALIVE -> durable = true :: else -> goto next fi };                /* fsync */
     atomic {
       if
#ifdef ANSWER_EARLY
       :: ALIVE -> committing = false
#else
       :: ALIVE -> committing = false; mail[w] = COMMITTED
#endif
       :: else
       fi };
next: mine = 0
  od
}

inline drop_slot() {
  slot = POOL; owner = 0; content = 0; flushed = true; durable = true
}

#ifdef FENCE
/* Preempt and abort: what has reached the device is over, what has not is refused. By the key that
 * the slot was lent with: a host that has another one by now stays registered. */
inline shut_out(w) {
  if
  :: !quiet && !anew[w] -> registered[w] = false;
     if :: !fly[w] -> io[w] = 0 :: else fi
  :: else
  fi
}
#endif

/* Ends leases, and gives slots back: to the pool or, by a pool that shrinks, to the file system. */
active proctype Sweeper() {
  do
  :: atomic { up && slot == LEASED && !staging && !committing && held <= IO_TIME && !forgotten ->
       slot = QUARANTINE;
       if :: rep[owner] == WRITTEN -> rep[owner] = DROPPED :: else fi }
  :: atomic { up && slot == QUARANTINE && held == 0 ->
#ifdef FENCE
       shut_out(owner);
#endif
#if defined(RECYCLE) && !defined(NO_OPEN_CHECK)
       if :: opened && owner == 0 -> slot = GONE :: else -> drop_slot() fi }
#else
       drop_slot() }
#endif
  :: atomic { up && slot == POOL -> slot = GONE }
#ifdef RECYCLE
  /* The file has no name but the one that it is kept by: it is taken, or the file system has it back,
   * which gives nothing away before the deletion is durable. */
  :: atomic { up && slot == FINAL && !committing && rep[owner] == DROPPED && held == 0 && UNLINKED ->
       slot = QUARANTINE; held = REST;
#ifdef NO_DURABLE_END
       skip
#else
       erased = true
#endif
     }
  :: atomic { up && (slot == FINAL || slot == RBW) && !committing && rep[owner] == DROPPED && held == 0 && !pinned ->
       slot = GONE; erased = true }
#else
  :: atomic { up && (slot == FINAL || slot == RBW) && !committing && rep[owner] == DROPPED && held == 0 ->
       drop_slot();
       if :: true -> slot = GONE :: true -> skip fi }
#endif
  od
}

#ifdef RECYCLE
#define NAMED (slot == FINAL && owner == 0 && rep[0] == FINALIZED)

/* Whoever reads the first agent's block. A pin is durable, and so is then what it is a link of. Who has
 * found a file's name may open the file a moment later, also when the name is gone by then; and who has
 * it open has it, whatever becomes of its names: what is GONE then is the file system's matter. */
active proctype Reader() {
  do
  :: atomic { up && NAMED && !pinned -> pinned = true; durable = true }
  :: atomic { pinned -> assert(slot != GONE && content == 1); pinned = false }
  :: atomic { up && NAMED && !opened && opening == 0 -> opening = LATEST }
  :: atomic { opening > 0 -> opening = 0; opened = true }
  :: atomic { opened -> assert(slot == GONE || content == 1); opened = false }
  od
}
#endif

/* Block recovery, for a writer that is gone or said to be: it keeps a whole replica and drops an empty
 * one, in place. And whoever may deletes a file that was closed. */
proctype Hdfs(byte w) {
  bool whole = false;
  byte mine = 0;
  do
  :: atomic { up && rep[w] == WRITTEN && JOINED(w) ->
       rep[w] = RECOVERED; whole = HAS_FILE(w); mine = incarnation };
     atomic {
       if
       :: ALIVE && whole -> slot = FINAL; rep[w] = FINALIZED
       :: ALIVE && !whole ->
          if :: HAS_FILE(w) -> slot = GONE :: else fi;
          rep[w] = DROPPED
       :: else
       fi;
       whole = false; mine = 0; look() }
#ifdef RECYCLE
  :: atomic { up && acked[w] -> acked[w] = false; rep[w] = DROPPED; erased = false; break }
#else
  :: atomic { up && acked[w] -> acked[w] = false; rep[w] = DROPPED; break }
#endif
  od
}

/* kill -9, or a power loss: what was neither synced nor flushed may be gone. */
active proctype Crash() {
  byte n = 0;
  byte w = 0;
  do
  :: n < CRASHES ->
     atomic {
       up -> up = false; n++; incarnation++; committing = false; staging = false;
       do
       :: w < AGENTS -> if :: rep[w] == RECOVERED -> rep[w] = WRITTEN :: else fi; w++
       :: else -> break
       od;
       w = 0;
       if
       :: true -> skip
       :: !durable || !flushed ->
#ifdef RECYCLE
          opened = false; opening = 0;
#endif
          if :: !flushed -> content = 0; flushed = true :: else fi;
          if
          :: !durable && (slot == LEASED || slot == QUARANTINE) -> drop_slot()
          :: !durable && (slot == RBW || slot == FINAL) ->
             slot = LEASED; durable = true;
             if :: rep[owner] == FINALIZED -> rep[owner] = WRITTEN :: else fi
          :: else
          fi
#ifdef RECYCLE
       :: !erased ->                           /* the block is back: it must be what it was */
          assert(content == owner + 1);
          erased = true; slot = FINAL; rep[owner] = FINALIZED; opened = false; opening = 0
#endif
       fi;
       look()
     };
     atomic {
       up = true;
#ifdef DATA_FIRST
       if :: slot == RBW && !meta -> slot = GONE :: else fi;   /* HDFS cuts it to what has checksums */
#endif
#ifdef FORGET_SLOTS
       if :: slot == LEASED -> forgotten = true :: else fi;
#else
       if :: slot == LEASED -> slot = QUARANTINE :: else fi;
#endif
       held = (slot == QUARANTINE -> GRACE : (slot == RBW || slot == FINAL -> IO_TIME : 0))
     }
  :: else -> break
  od
}

init {
  byte w = 0;
  atomic {
    do
    :: w < AGENTS ->
       mail[w] = NONE; rep[w] = ABSENT;
#ifdef FENCE
       registered[w] = true;
#endif
       run Agent(w); run DataNode(w); run Fabric(w); run Hdfs(w); w++
    :: else -> break
    od;
    w = 0
  }
}

#ifdef LIVENESS
ltl back { [] ((slot == LEASED && over) -> <> (slot != LEASED && slot != QUARANTINE)) }
#endif
