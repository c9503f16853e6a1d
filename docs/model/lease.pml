/* SPDX-License-Identifier: Apache-2.0
 *
 * The lease protocol of docs/protocol.md for one block, one extent, CLIENTS clients and one
 * DataNode that may be killed or lose power. Checked by ./check:
 *   safety    no client delivers bytes that are not the block's (the assertion in Client)
 *   liveness  the pin of a deleted block is removed in the end (ltl freed)
 *
 * Time: every timer counts down at a tick of the DataNode's clock. A client's clock may be slow and
 * stretch its lease by up to DRIFT ticks; DRIFT < MARGIN. Any number of ticks may pass between two
 * steps of a process, so a client may be stopped as long as it likes anywhere.
 *
 * What else may happen, each in a run of its own:
 *   COPIES     the client's host sees an older copy of the device; the volume is swapped hot
 *   PAUSES     the hypervisor pauses the client's machine, whose clock stands still meanwhile
 *   IMPOSTOR   somebody else takes the plugin's port while it is down
 *   STRANGERS  returns, renewals and recalls that name leases of others, or none
 *
 * Each rule can be taken out by a macro, and then ./check must find a counterexample: see there.
 *
 * TRACE prints each step with the state behind it, for the replay on the real code (README.md).
 * It only takes runs away.
 */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef TERM
#define TERM    3   /* lease term                              */
#endif
#define MARGIN  2   /* what the client takes off               */
#define DRIFT   1   /* ticks that a client's clock may miss    */
#ifdef SHORT_IO
#define IO_TIME 0
#else
#define IO_TIME 1   /* how much longer the DataNode keeps pins */
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef JUMP
#define JUMP    2   /* a larger jump of the wall clock ends all leases: IO_TIME + MARGIN - DRIFT */
#endif
#ifndef PAUSE
#define PAUSE   3   /* ticks that a machine may be paused      */
#endif

/* The extent and the inode that owned it when it was granted. */
bool name = true;        /* HDFS still has the block under its name   */
bool recovering = false; /* replica is under recovery (truncate)      */
bool cut = false;        /* inode was truncated in place              */
bool foreign = false;    /* the extent holds another file's bytes     */

/* Hard links in the pin directory. */
bool pin = false;        /* of this incarnation                       */
bool durable = false;    /* ... would survive a power loss            */
bool doomed = false;     /* of a pin without leases, to be unlinked   */
bool left = false;       /* found at the start                        */
#define LINKED (pin || doomed || left)
#define FREE ((!name && !LINKED) || cut)

/* The plugin. */
bool up = true;
byte incarnation = 0;
bool known = false;      /* the pin is complete, and has leases       */
bool recalled = false;
bool granting = false;   /* a pin is being made                       */
byte grace = 0;          /* ticks for which a pin found is honoured   */
bool leased[CLIENTS];    /* a lease is in the plugin's table          */
byte held[CLIENTS];      /* ticks that the DataNode honours it        */

/* The clients' leases. */
byte valid[CLIENTS];     /* ticks left by the client's own clock; an ended lease has none */
byte asked[CLIENTS];     /* the same for an answer under way          */
byte lease_of[CLIENTS];  /* incarnation that granted it               */
bool accepted[CLIENTS];  /* the client has seen the grant             */
bool recall[CLIENTS];    /* a recall is on its way                    */

mtype = { NONE, ASK, RENEW, GRANTED, REFUSED, FORGED };
mtype mail[CLIENTS];

/* What the trace calls the steps. */
mtype = { tick_clock, delete, begin_truncate, look_at_links, truncate, reuse, kill, power_loss, start,
  sweep, begin_pin, link, sync, look_again, map, share, refuse, renew, send_recall, return_lease, ask,
  accept, late, refused, lost, send, send_copy, try_copy, answer, use, drop, ask_renewal, renewed,
  not_renewed, let_go, write_back, copy_device, swap, pause, take_port, leave_port, forge, forged,
  stranger, no_match };

/* The client's deadline in ticks of the DataNode's clock, at worst: a slow clock stretches it. */
#define LONGEST (TERM - MARGIN + DRIFT)
#ifdef COUNT_FROM_REPLY
#define COUNTED LONGEST
#else
#define COUNTED asked[c]
#endif

/* A paused machine: neither its clock nor its processes go on, but its wall clock is set right before
 * they do. That is an assumption: without it there is nothing to notice, as with NO_JUMP_CHECK. */
#ifdef PAUSES
byte lag[CLIENTS];       /* ticks that the client's clock lost since it held no lease */
#endif
#if defined(PAUSES) && !defined(NO_JUMP_CHECK)
#define IN_STEP(c) (lag[c] <= JUMP)
#else
#define IN_STEP(c) true
#endif
#if defined(PAUSES) && defined(JUMP_REBASED)
#define CHECKED(c) lag[c] = 0
#else
#define CHECKED(c) skip
#endif
#define MAY_READ(c) (valid[c] > 0 && IN_STEP(c))

#ifdef TRACE
#define LAST (CLIENTS - 1)
#define HOLDS(c) (leased[c] + (held[c] > 0) + (held[c] > IO_TIME))
#define SAY(step, c) ; printf("@ %e %d %d %d %d %d %d %d %d %d %d %d %e\n", step, c, up, FREE, \
  LINKED, known, recalled, foreign, HOLDS(0), MAY_READ(0), HOLDS(LAST), MAY_READ(LAST), mail[c])
#else
#define SAY(step, c)
#endif

inline tick(timer) {
  if :: timer > 0 -> timer-- :: else fi
}

/* A copy of the device with the same identity, and the witness. A copy shows a map's witness if it
 * has the same nonce and a count that is not smaller. With the rule each witness file has a nonce of
 * its own, so only a copy taken while that file was in use can show it, and only if it was taken
 * after the witness was written. Where two files share a nonce, the earlier may have counted further.
 */
#ifdef COPIES
bool fresh[CLIENTS];     /* granted since the client last returned: only a swap brings that */
byte file = 0;           /* which witness file is in use              */
bool written = false;    /* the device has the block's bytes          */
bool copied = false;     /* there is a copy                           */
bool copy_good = false;  /* ... with the block's bytes                */
byte copy_nonce = 0;
byte copy_file = 0;
bool older = false;      /* the copy is older than the pin's witness  */
byte pin_nonce = 0;
byte pin_file = 0;
bool map_older[CLIENTS]; /* the same for the client's map             */
byte map_nonce[CLIENTS];
byte map_file[CLIENTS];

#if defined(NO_NONCE)
#define NONCE 0
#elif defined(NONCE_OF_INCARNATION)
#define NONCE incarnation
#else
#define NONCE file
#endif
#ifdef NO_WITNESS
#define SHOWN(c) true
#else
#define SHOWN(c) (copy_nonce == map_nonce[c] && (copy_file != map_file[c] || !map_older[c]))
#endif
#define NEW_FILE file++
#define WITNESSED older = copied; pin_nonce = NONCE; pin_file = file
#define MAPPED(c) map_older[c] = older; map_nonce[c] = pin_nonce; map_file[c] = pin_file
#define WRITTEN written = true
#define FRESH(c, is) fresh[c] = is
#define IS_OLD(c) !fresh[c]

active proctype WriteBack() {
  atomic { !written -> written = true SAY(write_back, 0) }
}

active proctype Copier() {
  atomic { !copied -> copied = true; copy_good = written && !foreign;
    copy_nonce = NONCE; copy_file = file SAY(copy_device, 0) }
}
#else
#define NEW_FILE skip
#define WITNESSED skip
#define MAPPED(c) skip
#define WRITTEN skip
#define FRESH(c, is) skip
#define IS_OLD(c) true
#endif

active proctype Clock() {
  byte c;
  do
#ifdef PAUSES
  :: atomic {
       tick(grace);
       c = 0;
       do
       :: c < CLIENTS ->
          tick(held[c]);
          if
          :: lag[c] < PAUSE -> lag[c]++ SAY(pause, c)
          :: true -> tick(valid[c]); tick(asked[c])
          fi;
          c++
       :: else -> break
       od;
       c = 0 SAY(tick_clock, 0)
     }
#else
  :: d_step {
       tick(grace);
       c = 0;
       do
       :: c < CLIENTS -> tick(valid[c]); tick(asked[c]); tick(held[c]); c++
       :: else -> break
       od;
       c = 0 SAY(tick_clock, 0)
     }
#endif
  od
}

/* HDFS deletes the block, or truncates it: in place if nothing else links the inode. A crash of
 * the DataNode drops what it was about to do. */
active proctype Hdfs() {
  bool shared;
  byte mine;
  do
  :: atomic { up && name -> name = false SAY(delete, 0); break }
  :: atomic { up && name -> recovering = true; mine = incarnation SAY(begin_truncate, 0) };
     atomic {
       if
       :: up && incarnation == mine -> shared = LINKED SAY(look_at_links, 0)
       :: else -> goto again
       fi };
     atomic {
       if
       :: up && incarnation == mine ->
          if :: shared -> skip :: else -> cut = true fi;
          name = false; recovering = false SAY(truncate, 0)
       :: else -> goto again
       fi };
     break;
again: skip
  od
}

/* The file system gives freed space to another file. */
active proctype Allocator() {
  atomic { FREE -> foreign = true SAY(reuse, 0) }
}

/* kill -9 or power loss; leases are forgotten, and a link that was not durable is gone. */
active proctype Crash() {
  byte n = 0;
  byte c;
  do
  :: n < CRASHES ->
     atomic {
       up -> up = false; n++; incarnation++; known = false; recalled = false; granting = false;
       recovering = false;
       c = 0;
       do
       :: c < CLIENTS -> held[c] = 0; leased[c] = false; recall[c] = false; c++
       :: else -> break
       od;
       c = 0;
       if
       :: true -> left = LINKED; pin = false; doomed = false SAY(kill, 0)
       :: !durable -> left = left || doomed; pin = false; doomed = false SAY(power_loss, 0)
       fi
     };
     atomic {
       up = true; NEW_FILE;
       if
#ifdef NO_GRACE
       :: true -> grace = 0
#else
       :: left -> grace = TERM + IO_TIME
#endif
       :: else -> skip
       fi SAY(start, 0)
     }
  :: n <= CRASHES -> break
  od
}

/* Somebody else on the plugin's port: the plugin sweeps, but nobody hears it. */
#ifdef IMPOSTOR
bool impostor = false;
#define REACHED (up && !impostor)

active proctype Impostor() {
  byte c;
  atomic { !up -> impostor = true SAY(take_port, 0) };
  do
  :: atomic { mail[0] == RENEW -> mail[0] = FORGED SAY(forge, 0) }
  :: atomic { impostor = false SAY(leave_port, 0); break }
  od
}
#else
#define REACHED up
#endif

#define NO_LEASES (!leased[0] && !leased[CLIENTS - 1])

/* A pin without leases is handed out to be unlinked; a recall of it is pending until it is gone. */
inline end_lease(c) {
  held[c] = 0; leased[c] = false;
  if
  :: known && NO_LEASES -> known = false; durable = false; pin = false;
#ifdef TRACE
     recalled = false
#else
     doomed = true
#endif
  :: else
  fi
}

inline give_lease(c) {
  held[c] = TERM + IO_TIME; leased[c] = true; FRESH(c, true); recall[c] = false;
  lease_of[c] = incarnation; MAPPED(c)
}

inline recall_pin(i) {
  recalled = true;
  i = 0;
  do
  :: i < CLIENTS ->
     if
     :: held[i] > IO_TIME -> recall[i] = true
     :: true -> skip            /* the message is lost */
     fi;
     i++
  :: else -> break
  od;
  i = 0
}

#define LET_GO (known && !recalled && (!name || recovering))
#define RAN_OUT(i) (leased[i] && held[i] == 0)
#define LEFT_OVER (left && grace == 0)

/* Notices that HDFS let the block go, recalls, and removes pins that nobody needs. */
active proctype Sweeper() {
  byte c;
  do
#ifdef TRACE
  :: atomic {
       up && (LET_GO || RAN_OUT(0) || RAN_OUT(CLIENTS - 1) || LEFT_OVER) ->
       if :: LET_GO -> recall_pin(c) :: else fi;
       if :: RAN_OUT(0) -> end_lease(0) :: else fi;
       if :: RAN_OUT(CLIENTS - 1) -> end_lease(CLIENTS - 1) :: else fi;
       if :: LEFT_OVER -> left = false :: else fi
       SAY(sweep, 0)
     }
#else
  :: atomic { up && LET_GO -> recall_pin(c) }
  :: atomic { up && RAN_OUT(0) -> end_lease(0) }
  :: atomic { up && RAN_OUT(CLIENTS - 1) -> end_lease(CLIENTS - 1) }
  :: atomic { up && LEFT_OVER -> left = false }
  :: atomic { up && doomed -> doomed = false; recalled = false }
#endif
  od
}

#ifdef COPIES
/* The volume is taken out and put back in: its leases are recalled, and its witness file is new. */
active proctype HotSwap() {
  byte c;
  atomic {
    up && !granting && !(LET_GO || RAN_OUT(0) || RAN_OUT(CLIENTS - 1) || LEFT_OVER) -> NEW_FILE;
    if :: known && !recalled -> recall_pin(c) :: else fi
    SAY(swap, 0)
  }
}
#endif

#ifdef STRANGERS
/* Each step without effect: the DataNode knows whose a lease is, a client what it holds. */
active proctype Stranger() {
  byte n = 0;
  do
  :: atomic { n < 3 && up && leased[0] ->
       n++;
#ifdef OTHERS_RETURN
       end_lease(0)
#endif
       SAY(stranger, 0) }
  :: atomic { n < 3 && MAY_READ(0) -> n++ SAY(no_match, 0) }
  od
}
#endif

#define ALIVE (up && incarnation == mine)

#ifdef GRANT_IN_RECALL
#define BARRED false
#else
#define BARRED recalled
#endif

/* One request at a time; a crash in the middle drops it. */
proctype Granter(byte c) {
  byte mine;
  byte i;
  do
  :: atomic { REACHED && mail[c] == RENEW ->
       if
       :: held[c] > IO_TIME && lease_of[c] == incarnation && !BARRED ->
          held[c] = TERM + IO_TIME; mail[c] = GRANTED SAY(renew, c)
       :: else -> mail[c] = REFUSED SAY(renew, c)
       fi }
  :: atomic { REACHED && mail[c] == ASK && known ->
       if
       :: BARRED -> mail[c] = REFUSED SAY(refuse, c)
#ifndef GRANT_IN_RECALL
       :: LET_GO -> recall_pin(i); mail[c] = REFUSED SAY(refuse, c)
       :: !BARRED && !LET_GO ->
#else
       :: true ->
#endif
          give_lease(c); mail[c] = GRANTED SAY(share, c)
       fi }
  :: atomic { REACHED && mail[c] == ASK && !known && !granting ->
       if
       :: name && !recovering && !recalled -> granting = true; mine = incarnation SAY(begin_pin, c)
       :: else -> mail[c] = REFUSED SAY(refuse, c); goto next
       fi };
     atomic {                                   /* link */
       if
       :: !ALIVE -> goto next
       :: ALIVE && name -> pin = true; durable = false SAY(link, c)
       :: ALIVE && !name -> granting = false; mail[c] = REFUSED SAY(link, c); goto next
       fi };
#ifdef WITNESS_FIRST
     atomic { if :: !ALIVE -> goto next :: ALIVE -> WITNESSED fi };
#endif
     atomic {                                   /* fsync */
       if
       :: !ALIVE -> goto next
#ifdef NO_DURABLE_PIN
       :: ALIVE -> skip
#else
       :: ALIVE -> durable = true; WRITTEN
#endif
       fi;
#if defined(COPIES) && !defined(WITNESS_FIRST)
#ifndef TRACE
     };
     atomic {                                   /* witness */
#endif
       if :: !ALIVE -> goto next :: ALIVE -> WITNESSED fi
#else
       skip
#endif
       SAY(sync, c) };
     atomic {                                   /* look again */
       if
       :: !ALIVE -> goto next
#ifdef NO_RECHECK
       :: ALIVE -> skip SAY(look_again, c)
#else
       :: ALIVE && name && !recovering -> skip SAY(look_again, c)
       :: ALIVE && !(name && !recovering) ->
          granting = false; pin = false; durable = false; mail[c] = REFUSED SAY(look_again, c);
          goto next
#endif
       fi };
     atomic {                                   /* FIEMAP: a cut inode has no such extent */
       if
       :: !ALIVE -> goto next
       :: ALIVE && !cut -> known = true; granting = false; give_lease(c);
          if :: mail[c] == ASK -> mail[c] = GRANTED :: else fi SAY(map, c)
       :: ALIVE && cut ->
          granting = false; pin = false; durable = false; mail[c] = REFUSED SAY(map, c); goto next
       fi };
next: mine = 0
  od
}

/* Ends the lease first, then returns it. A recall that overtakes its grant waits for the grant:
 * to return a lease that the client has yet to accept would free extents that it then reads. */
#ifdef RETURN_UNKNOWN
#define KNOWN_HERE true
#else
#define KNOWN_HERE accepted[c]
#endif
#ifdef RETURN_IS_NOTHING
#define RETURNED(c) skip
#else
#define RETURNED(c) end_lease(c)
#endif
proctype Recalls(byte c) {
  byte origin;
  do
  :: atomic { recall[c] && KNOWN_HERE -> recall[c] = false; valid[c] = 0; FRESH(c, false);
       origin = lease_of[c] SAY(send_recall, c) };
     atomic {
       if
       :: REACHED && origin == incarnation && IS_OLD(c) -> RETURNED(c) SAY(return_lease, c);
          assert(!leased[c])
       :: else -> skip SAY(return_lease, c)
       fi;
       origin = 0 }
  od
}

#ifdef IMPOSTOR
#ifdef BELIEVE_IMPOSTOR
#define EXTENDED(c) (mail[c] == GRANTED || mail[c] == FORGED)
#else
#define EXTENDED(c) (mail[c] == GRANTED)
#endif
#else
#define EXTENDED(c) (mail[c] == GRANTED)
#endif

/* The code renews what was used and is past half of its term. */
#ifdef TRACE
#define MAY_RENEW(c) (MAY_READ(c) && valid[c] == 1)
#else
#define MAY_RENEW(c) MAY_READ(c)
#endif

proctype Client(byte c) {
  bool wrong;
  byte i;
again:
  if
#ifdef LIVENESS
  :: true -> goto end                           /* dies; its lease stays behind */
#endif
  :: atomic { mail[c] == NONE -> mail[c] = ASK; accepted[c] = false; asked[c] = LONGEST;
#ifdef PAUSES
       lag[c] = 0
#else
       skip
#endif
       SAY(ask, c) }
  fi;
  if
  :: atomic { mail[c] == GRANTED && COUNTED > 0 && IN_STEP(c) -> mail[c] = NONE;
       accepted[c] = true; valid[c] = COUNTED; asked[c] = 0 SAY(accept, c) }
  :: atomic { mail[c] == GRANTED && !(COUNTED > 0 && IN_STEP(c)) -> mail[c] = NONE;
       accepted[c] = true; FRESH(c, false);
       if :: REACHED && lease_of[c] == incarnation -> end_lease(c) :: else fi SAY(late, c);
       goto again }
  :: atomic { mail[c] == REFUSED -> mail[c] = NONE; asked[c] = 0 SAY(refused, c); goto again }
  :: atomic { !REACHED && mail[c] == ASK -> mail[c] = NONE; asked[c] = 0 SAY(lost, c); goto again }
  fi;
  do
#ifdef COPIES
  :: atomic { MAY_READ(c) && copied && SHOWN(c) -> wrong = !copy_good SAY(send_copy, c) };
     goto answered
#ifdef TRACE
  :: atomic { MAY_READ(c) && copied && !SHOWN(c) -> skip SAY(try_copy, c) }
#endif
#endif
  :: atomic { MAY_READ(c) -> CHECKED(c) SAY(send, c) };        /* checked before */
     atomic { wrong = foreign SAY(answer, c) };                /* some time later */
answered:
     atomic {                                   /* checked after */
       if
#ifdef NO_POST_CHECK
       :: true -> skip SAY(use, c); assert(!wrong)
#else
       :: MAY_READ(c) -> CHECKED(c) SAY(use, c); assert(!wrong)
       :: else -> skip SAY(drop, c)
#endif
       fi;
       wrong = false
     }
  :: atomic { MAY_RENEW(c) && mail[c] == NONE -> mail[c] = RENEW; asked[c] = LONGEST
       SAY(ask_renewal, c) };
     if
     :: atomic { EXTENDED(c) -> mail[c] = NONE;
          if :: MAY_READ(c) && COUNTED > valid[c] -> valid[c] = COUNTED :: else fi;
          asked[c] = 0 SAY(renewed, c) }
     :: atomic { mail[c] == REFUSED -> mail[c] = NONE; asked[c] = 0; valid[c] = 0 SAY(not_renewed, c) }
     :: atomic { !REACHED && mail[c] == RENEW -> mail[c] = NONE; asked[c] = 0 SAY(lost, c) }
#if defined(IMPOSTOR) && !defined(BELIEVE_IMPOSTOR)
     :: atomic { mail[c] == FORGED -> mail[c] = NONE; asked[c] = 0 SAY(forged, c) }
#endif
     fi
  :: atomic { !MAY_READ(c) -> valid[c] = 0; FRESH(c, false);
       if :: REACHED && lease_of[c] == incarnation -> RETURNED(c) :: else fi SAY(let_go, c);
       goto again }
  od;
end: skip
}

init {
  byte c = 0;
  atomic {
    do
    :: c < CLIENTS -> mail[c] = NONE; run Client(c); run Granter(c); run Recalls(c); c++
    :: else -> break
    od
  }
}

#ifdef LIVENESS
ltl freed { [] ((!name && LINKED) -> <> !LINKED) }
#endif
