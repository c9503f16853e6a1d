/* SPDX-License-Identifier: Apache-2.0
 *
 * The lease protocol of docs/protocol.md for one block, one extent, CLIENTS clients and one
 * DataNode that may be killed or lose power. Checked by ./check:
 *   safety    no client delivers bytes that are not the block's (the assertion in Client)
 *   liveness  the pin of a deleted block is removed in the end (ltl freed)
 *
 * Time: every timer counts down at a tick of the DataNode's clock. A client's clock may be slow and
 * stretch its lease by up to DRIFT ticks; DRIFT < MARGIN. Any number of ticks may pass between two
 * steps of a process, so a client may pause as long as it likes anywhere.
 *
 * Each rule can be taken out by a macro, and then ./check must find a counterexample:
 *   NO_DURABLE_PIN  NO_RECHECK  NO_POST_CHECK  NO_GRACE  GRANT_IN_RECALL  COUNT_FROM_REPLY
 *   RETURN_UNKNOWN
 */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#define TERM    3   /* lease term                              */
#define MARGIN  2   /* what the client takes off               */
#define DRIFT   1   /* ticks that a client's clock may miss    */
#define IO_TIME 1   /* how much longer the DataNode keeps pins */
#define CRASHES 1

/* The extent and the inode that owned it when it was granted. */
bool name = true;        /* HDFS still has the block under its name   */
bool recovering = false; /* replica is under recovery (truncate)      */
bool cut = false;        /* inode was truncated in place              */
bool pin = false;        /* the pin's hard link                       */
bool durable = false;    /* ... would survive a power loss            */
bool foreign = false;    /* the extent holds another file's bytes     */

/* The plugin. */
bool up = true;
byte incarnation = 0;
bool known = false;      /* the pin was made by this incarnation      */
bool recalled = false;
bool granting = false;   /* a pin is being made                       */
byte grace = 0;          /* ticks for which a pin found is honoured   */
byte held[CLIENTS];      /* ticks that the DataNode honours the lease */

/* The clients' leases. */
byte valid[CLIENTS];     /* ticks left by the client's own clock      */
byte asked[CLIENTS];     /* the same for an answer under way          */
byte lease_of[CLIENTS];  /* incarnation that granted it               */
bool accepted[CLIENTS];  /* the client has seen the grant             */
bool ended[CLIENTS];
bool recall[CLIENTS];    /* a recall is on its way                    */

mtype = { NONE, ASK, RENEW, GRANTED, REFUSED };
mtype mail[CLIENTS];

inline tick(timer) {
  if :: timer > 0 -> timer-- :: else fi
}

active proctype Clock() {
  byte c;
  do
  :: d_step {
       tick(grace);
       c = 0;
       do
       :: c < CLIENTS -> tick(valid[c]); tick(asked[c]); tick(held[c]); c++
       :: else -> break
       od;
       c = 0
     }
  od
}

/* HDFS deletes the block, or truncates it: in place if nothing else links the inode. A crash of
 * the DataNode drops what it was about to do. */
active proctype Hdfs() {
  bool shared;
  byte mine;
  do
  :: atomic { up && name -> name = false; break }
  :: atomic { up && name -> recovering = true; mine = incarnation };
     atomic {
       if
       :: up && incarnation == mine -> shared = pin
       :: else -> goto again
       fi };
     atomic {
       if
       :: up && incarnation == mine ->
          if :: shared -> skip :: else -> cut = true fi;
          name = false; recovering = false
       :: else -> goto again
       fi };
     break;
again: skip
  od
}

/* The file system gives freed space to another file. */
active proctype Allocator() {
  atomic { (!name && !pin) || cut -> foreign = true }
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
       do :: c < CLIENTS -> held[c] = 0; recall[c] = false; c++ :: else -> break od;
       c = 0;
       if
       :: true                       /* killed */
       :: !durable -> pin = false    /* power loss */
       fi
     };
     atomic {
       up = true;
       if
#ifdef NO_GRACE
       :: true -> grace = 0
#else
       :: pin -> grace = TERM + IO_TIME
#endif
       :: else -> skip
       fi
     }
  :: n <= CRASHES -> break
  od
}

#define NO_LEASE (held[0] == 0 && held[CLIENTS - 1] == 0)

/* Notices that HDFS let the block go, recalls, and removes pins that nobody needs. */
active proctype Sweeper() {
  byte c;
  do
  :: atomic {
       up && pin && known && !name && !recalled && !granting ->
       recalled = true;
       c = 0;
       do
       :: c < CLIENTS ->
          if
          :: held[c] > IO_TIME -> recall[c] = true
          :: true -> skip            /* the message is lost */
          fi;
          c++
       :: else -> break
       od;
       c = 0
     }
  :: atomic {
       up && pin && !granting && NO_LEASE && grace == 0 ->
       pin = false; durable = false; known = false; recalled = false
     }
  od
}

#define ALIVE (up && incarnation == mine)

/* One request at a time; a crash in the middle drops it. */
proctype Granter(byte c) {
  byte mine;
  do
  :: atomic { up && mail[c] == RENEW ->
       if
#ifdef GRANT_IN_RECALL
       :: held[c] > IO_TIME && lease_of[c] == incarnation ->
#else
       :: held[c] > IO_TIME && lease_of[c] == incarnation && !recalled ->
#endif
          held[c] = TERM + IO_TIME; mail[c] = GRANTED
       :: else -> mail[c] = REFUSED
       fi }
  :: atomic { up && mail[c] == ASK && pin && known && !granting ->
       if
#ifdef GRANT_IN_RECALL
       :: true ->
#else
       :: !recalled ->
#endif
          held[c] = TERM + IO_TIME; lease_of[c] = incarnation; mail[c] = GRANTED
       :: recalled -> mail[c] = REFUSED
       fi }
  :: atomic { up && mail[c] == ASK && !known && !granting ->
       if
       :: name && !recovering -> granting = true; mine = incarnation
       :: else -> mail[c] = REFUSED; goto next
       fi };
     atomic {                                   /* link */
       if
       :: !ALIVE -> goto next
       :: ALIVE && name -> if :: pin -> skip :: else -> pin = true; durable = false fi
       :: ALIVE && !name -> granting = false; mail[c] = REFUSED; goto next
       fi };
     atomic {                                   /* fsync */
       if
       :: !ALIVE -> goto next
#ifdef NO_DURABLE_PIN
       :: ALIVE -> skip
#else
       :: ALIVE -> durable = true
#endif
       fi };
     atomic {                                   /* look again */
       if
       :: !ALIVE -> goto next
#ifdef NO_RECHECK
       :: ALIVE -> skip
#else
       :: ALIVE && name && !recovering -> skip
       :: ALIVE && !(name && !recovering) -> granting = false; mail[c] = REFUSED; goto next
#endif
       fi };
     atomic {                                   /* FIEMAP: a cut inode has no such extent */
       if
       :: !ALIVE -> goto next
       :: ALIVE && !cut -> known = true; granting = false;
          held[c] = TERM + IO_TIME; lease_of[c] = incarnation;
          if :: mail[c] == ASK -> mail[c] = GRANTED :: else fi
       :: ALIVE && cut -> granting = false; mail[c] = REFUSED; goto next
       fi };
next: skip
  od
}

/* Ends the lease first, then returns it. A recall that overtakes its grant waits for the grant:
 * to return a lease that the client has yet to accept would free extents that it then reads. */
#ifdef RETURN_UNKNOWN
#define KNOWN_HERE true
#else
#define KNOWN_HERE accepted[c]
#endif
proctype Recalls(byte c) {
  byte origin;
  do
  :: atomic { recall[c] && KNOWN_HERE -> recall[c] = false; ended[c] = true; origin = lease_of[c] };
     atomic { if :: up && origin == incarnation -> held[c] = 0 :: else fi }
  od
}

/* The client's deadline in ticks of the DataNode's clock, at worst: a slow clock stretches it. */
#define LONGEST (TERM - MARGIN + DRIFT)
#ifdef COUNT_FROM_REPLY
#define COUNTED LONGEST
#else
#define COUNTED asked[c]
#endif
#define MAY_READ (valid[c] > 0 && !ended[c])

proctype Client(byte c) {
  bool wrong;
again:
  if
  :: true -> goto end                           /* dies; its lease stays behind */
  :: atomic { mail[c] == NONE -> mail[c] = ASK; accepted[c] = false; asked[c] = LONGEST }
  fi;
  if
  :: atomic { mail[c] == GRANTED -> mail[c] = NONE; ended[c] = false; accepted[c] = true;
       valid[c] = COUNTED }
  :: atomic { mail[c] == REFUSED -> mail[c] = NONE; goto again }
  :: atomic { !up && mail[c] == ASK -> mail[c] = NONE; goto again }
  fi;
  do
  :: atomic { MAY_READ -> skip };               /* checked before */
     atomic { wrong = foreign };                /* the device answers some time later */
     atomic {                                   /* checked after */
       if
#ifdef NO_POST_CHECK
       :: true -> assert(!wrong)
#else
       :: MAY_READ -> assert(!wrong)
       :: else -> skip
#endif
       fi;
       wrong = false
     }
  :: atomic { MAY_READ && mail[c] == NONE -> mail[c] = RENEW; asked[c] = LONGEST };
     if
     :: atomic { mail[c] == GRANTED -> mail[c] = NONE;
          if :: MAY_READ && COUNTED > valid[c] -> valid[c] = COUNTED :: else fi }
     :: atomic { mail[c] == REFUSED -> mail[c] = NONE }
     :: atomic { !up && mail[c] == RENEW -> mail[c] = NONE }
     fi
  :: atomic { !MAY_READ -> valid[c] = 0; goto again }
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
ltl freed { [] ((!name && pin) -> <> !pin) }
#endif
