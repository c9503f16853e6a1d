/* SPDX-License-Identifier: Apache-2.0
 *
 * The device metadata plane of docs/metadata-plane.md: a reader without a lease, on a device whose
 * ext4 another host writes. One block file, somebody else's file, a journal, and LEN blocks of
 * data that both want. Checked by ./check:
 *   safety    no byte is handed out that is not of the file that was resolved (the assertion in Reader)
 *
 * The file has two metadata blocks: its inode (generation and ctime) and its extent tree. They are
 * read, and checkpointed, one at a time. A transaction has copies of both. The log has room for
 * ROOM transactions and goes round; its superblock says which one it starts with. A crash takes
 * back what was not committed; the next mount replays the log and starts it anew.
 *
 * Time: none. Any number of steps may lie between two of the reader's, so it may be stopped as long
 * as it likes anywhere.
 *
 * What else there may be, each in a run of its own and with one block of data:
 *   JOURNALLED  the file's data goes into the log, and home by a checkpoint (data=journal)
 *   STEPS       the file is found by its directory, whose block may become somebody's data
 *   SHARED      somebody else looks at the journal too, for the reader as well
 *
 * Each rule can be taken out by a macro, and then ./check must find a counterexample:
 *   the reader's   NO_RECHECK NO_CATCH_UP CATCH_UP_EARLY NO_GENERATION NO_CTIME INODE_FIRST
 *                  NO_OVERLAY NO_TAIL START_FIRST NO_NEW_MOUNT
 *                  NO_REFUSAL (JOURNALLED) NO_MOMENT (STEPS) LOOK_JOINED (SHARED)
 *   the writer's   REUSE_EARLY NO_ORDER ASYNC_COMMIT TAIL_FIRST
 * PASSES asserts the contrary of what is wanted: that nobody reads behind a crash.
 */
#ifndef LEN
#define LEN     1   /* blocks of the file, and of the device: 1 or 2 */
#endif
#ifndef OPS
#define OPS     5   /* changes to the file system; at most 7         */
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#define ROOM    2   /* transactions in the log                       */
#ifdef JOURNALLED
#define DATA(x) x   /* only where data goes into the log             */
#else
#define DATA(x)
#endif
#ifdef STEPS
#define STEP(x) x   /* only where there is a directory               */
#define SECOND_BLOCK {0, 0, NAMES}
#else
#define STEP(x)
#define SECOND_BLOCK 0
#endif

/* Whose a block is, or whose bytes it has: a generation of the file's inode, or one of these. */
#define OTHER 200   /* another file's                                */
#define FREE  201
#define FREED 202   /* by a transaction that is not committed yet    */
#define NAMES 203   /* the directory's, which has the file's name    */

/* An inode is generation * 8 + ctime. A ctime tells versions of one generation apart; it begins anew
 * with each generation. A tree is its first block + 3 * its second one, 0 where there is none.
 * The directory's inode lies in the same block as the file's. All that it says is where the
 * directory is, which is in block 2, or that there is none: then GONE is added. */
#define GONE      128
#define NO_DIR(i) ((i) / GONE)
#define FILE(i)   ((i) % GONE)
#define GEN(i)    (FILE(i) / 8)
#define CTIME(i)  ((i) % 8)
#define FIRST(t)  ((t) % 3)
#define SECOND(t) ((t) / 3)
#if LEN == 2
#define WHOLE 7
#else
#define WHOLE 1
#endif

/* The writer's memory: what the running transaction will leave. */
bool up = true;
byte inode = 0;
byte tree = WHOLE;
bool dirty = false;      /* the running transaction has changes       */
bool committing = false; /* the one before it is being written        */
byte frozen_inode = 0;   /* ... and this is what it has               */
byte frozen_tree = 0;
byte owner[3] = SECOND_BLOCK; /* of blocks 1 and 2; with LEN 1 nobody wants 2, but for STEPS */
byte freed[3];           /* by which transaction, 0 by none           */
byte ops = 0;
byte cp = 0;             /* how far the checkpoint of a transaction is */

/* The device. */
byte content[3] = SECOND_BLOCK; /* whose bytes are in blocks 1 and 2         */
byte home_inode = 0;
byte home_tree = WHOLE;
byte log_inode[ROOM];
byte log_tree[ROOM];
byte log_seq[ROOM];      /* which transaction is there, 0 none        */
DATA(bool data = false;)    /* the running transaction has the file's data   */
DATA(bool frozen_data = false;)
DATA(bool log_data[ROOM];)  /* the file's data, neither home nor revoked     */
byte due = 1;           /* the transaction that is committed next    */
byte tail = 1;           /* the log's superblock: where it starts,    */
byte base = 1;           /* ... and which one lies in the first place */
byte mount = 0;          /* the file system's: how often it was mounted */

#define PLACE(seq) (((seq) - base) % ROOM)

inline change() {
  ops++; dirty = true
}

inline let_go(x) {
#ifdef REUSE_EARLY
  owner[x] = FREE
#else
  owner[x] = FREED; freed[x] = due + committing
#endif
}

/* Blocks that the transaction freed may be allocated from now on. */
inline set_free() {
  if
  :: freed[1] == due -> freed[1] = 0; owner[1] = FREE;
     DATA(log_data[0] = false; log_data[1] = false) /* revoked */
  :: else
  fi;
  if :: freed[2] == due -> freed[2] = 0; owner[2] = FREE :: else fi
}

inline pick() {
  if
  :: owner[1] == FREE -> b = 1
  :: owner[2] == FREE -> b = 2
  fi
}

/* The file's own bytes reach a new block now, or with the commit at the latest (data=ordered). */
inline put() {
  owner[b] = GEN(inode);
#ifdef JOURNALLED
  data = true
#else
  if
  :: true -> content[b] = GEN(inode)
  :: true -> skip
  fi
#endif
}

#define MAY_CHANGE (up && ops < OPS)
#define SPACE (owner[1] == FREE || owner[2] == FREE)

active proctype Writer() {
  byte b = 0;
  do
  :: atomic { MAY_CHANGE && tree != 0 ->          /* truncate, or delete */
       change(); inode++; DATA(data = false;)
       if
#if LEN == 2
       :: SECOND(tree) != 0 -> let_go(SECOND(tree)); tree = FIRST(tree)
#endif
       :: true -> let_go(FIRST(tree));
          if :: SECOND(tree) != 0 -> let_go(SECOND(tree)) :: else fi;
          tree = 0
       fi }
  :: atomic { MAY_CHANGE && tree == 0 && SPACE -> /* another file gets the inode */
       change(); pick(); inode = inode - CTIME(inode) + 8; put(); tree = b; b = 0 }
  :: atomic { MAY_CHANGE && SPACE && tree == 0 -> /* the file is written again */
       change(); pick(); inode++; put(); tree = b; b = 0 }
#if LEN == 2
  :: atomic { MAY_CHANGE && SPACE && tree != 0 && SECOND(tree) == 0 ->
       change(); pick(); inode++; put(); tree = tree + 3 * b; b = 0 }
#endif
  :: atomic { MAY_CHANGE && SPACE ->              /* somebody else writes */
       change(); pick(); owner[b] = OTHER; content[b] = OTHER; b = 0 }
  :: atomic { MAY_CHANGE && owner[1] == OTHER -> change(); let_go(1) }
#if LEN == 2 || defined(STEPS)
  :: atomic { MAY_CHANGE && owner[2] == OTHER -> change(); let_go(2) }
#endif
  STEP(:: atomic { MAY_CHANGE && !NO_DIR(inode) -> /* the file is moved, its directory removed */
       change(); inode = inode + 1 + GONE; let_go(2) })
  :: atomic { MAY_CHANGE && !dirty -> change() }  /* something else changes */
  od
}

/* Data of the transaction's new blocks first, then its copies, then the commit block: the last of
 * these is the step in which the log shows it. Only behind that its freed blocks are free. */
active proctype Commit() {
  do
  :: atomic { up && dirty && !committing && due - tail < ROOM ->
       committing = true; dirty = false; frozen_inode = inode; frozen_tree = tree;
       DATA(frozen_data = data; data = false;)
#ifdef ASYNC_COMMIT
       set_free()
#else
       skip
#endif
     }
  :: atomic { up && committing ->
#if !defined(NO_ORDER) && !defined(JOURNALLED)
       if :: FIRST(frozen_tree) != 0 -> content[FIRST(frozen_tree)] = GEN(frozen_inode) :: else fi;
       if :: SECOND(frozen_tree) != 0 -> content[SECOND(frozen_tree)] = GEN(frozen_inode) :: else fi;
#endif
       log_inode[PLACE(due)] = frozen_inode; log_tree[PLACE(due)] = frozen_tree;
       log_seq[PLACE(due)] = due;
       set_free();
       DATA(log_data[PLACE(due)] = frozen_data; frozen_data = false;)
       due++; committing = false; frozen_inode = 0; frozen_tree = 0 }
  od
}

/* Blocks go home one at a time; only then the log starts behind their transaction. */
active proctype Checkpoint() {
  do
#ifdef TAIL_FIRST
  :: atomic { up && cp == 0 && tail < due -> tail++; cp = 1 }
  :: atomic { up && cp == 1 -> home_inode = log_inode[PLACE(tail - 1)]; cp = 2 }
  :: atomic { up && cp == 2 -> home_tree = log_tree[PLACE(tail - 1)]; cp = 0 }
#else
  :: atomic { up && cp == 0 && tail < due -> home_inode = log_inode[PLACE(tail)]; cp = 1 }
  :: atomic { up && cp == 1 -> home_tree = log_tree[PLACE(tail)]; cp = 2 }
  DATA(:: atomic { up && cp == 2 && log_data[PLACE(tail)] ->
       content[1] = GEN(log_inode[PLACE(tail)]); log_data[PLACE(tail)] = false })
  :: atomic { up && cp == 2 DATA(&& !log_data[PLACE(tail)]) -> tail++; cp = 0 }
#endif
  od
}

inline find_owner(x) {
  freed[x] = 0;
  if
  :: FIRST(tree) == x || SECOND(tree) == x -> owner[x] = GEN(inode)
  STEP(:: x == 2 && !NO_DIR(inode) -> owner[x] = NAMES)
  :: else -> owner[x] = FREE
  fi
}

/* What was not committed is gone. The next mount replays the log, then starts it anew in its first
 * place, with the sequence that was due or, as the kernel does behind a replay, one more. */
active proctype Crash() {
  byte n = 0;
  do
  :: atomic { n < CRASHES && up ->
       up = false; n++; committing = false; dirty = false; cp = 0; frozen_inode = 0; frozen_tree = 0;
       DATA(data = false; frozen_data = false;)
       if
       :: due > tail -> inode = log_inode[PLACE(due - 1)]; tree = log_tree[PLACE(due - 1)]
       :: else -> inode = home_inode; tree = home_tree
       fi;
       find_owner(1);
#if LEN == 2 || defined(STEPS)
       find_owner(2)
#else
       skip
#endif
     };
     home_inode = inode;
     home_tree = tree;
     DATA(atomic {
       if :: log_data[0] || log_data[1] -> content[1] = GEN(inode) :: else fi;
       log_data[0] = false; log_data[1] = false
     };)
     atomic {
       if
       :: true -> skip
       :: true -> due++
       fi;
       tail = due; base = due; mount++; up = true
     }
  :: n >= CRASHES -> break
  od
}

/* The reader's view of the log: what it would read next, and the last copies that it knows. */
#define VIEW \
  byte expected = 1;     \
  byte copy = 0;         /* transaction whose copies are the last ones known, 0 none */ \
  byte my_base = 1;      \
  byte my_mount = 0;     \
  bool moved = false     /* something was new since the map was resolved */
#ifdef SHARED
VIEW;
#endif

#define MY_PLACE(s) (((s) - my_base) % ROOM)
#define SEEN (log_seq[MY_PLACE(expected)] == expected)
#ifdef NO_OVERLAY
#define IN_LOG false
#else
#define IN_LOG (copy != 0 && log_seq[MY_PLACE(copy)] == copy)
#endif
#define INODE (IN_LOG -> log_inode[MY_PLACE(copy)] : home_inode)
#define TREE (IN_LOG -> log_tree[MY_PLACE(copy)] : home_tree)

#ifdef NO_TAIL
#define OVERTAKEN false
#else
#define OVERTAKEN (tail > expected)
#endif
#ifdef NO_NEW_MOUNT
#define REMOUNTED false
#else
#define REMOUNTED (mount != my_mount)
#endif

inline take() {
  DATA(if
  :: log_data[MY_PLACE(expected)] -> copied = expected
  :: !log_data[MY_PLACE(expected)] && log_tree[MY_PLACE(expected)] == 0 -> copied = 0 /* revoked */
  :: else
  fi;)
  copy = expected; expected++; moved = true
}

inline start_anew() {
  DATA(copied = 0;)
  expected = tail; my_base = base; my_mount = mount; copy = 0; moved = true
}

/* First the log's next block, then its start: had that block been written over, the start had moved. */
inline catch_up() {
  do
#ifdef START_FIRST
  :: atomic { OVERTAKEN || REMOUNTED -> start_anew() }
  :: !(OVERTAKEN || REMOUNTED) ->
     do
     :: atomic { SEEN -> take() }
     :: !SEEN -> break
     od;
     break
#else
  :: atomic { SEEN -> take() }
  :: !SEEN ->
     atomic {
       if
       :: OVERTAKEN || REMOUNTED -> start_anew()
       :: else -> break
       fi
     }
#endif
  od
}

/* A look that others share, as SharedLook.look(): the journal is followed once for all of them, and
 * one looks at a time. A look that began when the reader had its data is as good as its own, one
 * that was under way by then is not. Looks are numbered, anew from the one that is under way when
 * the reader wants another, so that the numbers stay small. */
#ifdef SHARED
bool looking = false;    /* somebody looks, or sees what a look came to */
byte begun = 0;          /* the last look that began, and ended       */
byte ended = 0;
byte wanted = 0;         /* which one the reader waits for            */

inline look_first() {
  begun++;
  catch_up();
  atomic { ended = begun; looking = false }
}

active proctype Another() {
  do
  :: atomic { !looking && begun < 3 -> looking = true;
       if :: wanted == 0 -> begun = 0; ended = 0 :: else fi };
     look_first()
  od
}

#ifdef LOOK_JOINED
#define WANTED 1         /* the next one to end */
#else
#define WANTED (begun + 1)
#endif
inline look() {
  atomic { begun = looking; ended = 0; wanted = WANTED };
  atomic { !looking -> looking = true };
  if
  :: atomic { ended >= wanted -> looking = false; wanted = 0 }
  :: ended < wanted -> look_first(); wanted = 0
  fi
}
#else
#define look catch_up
#endif

#if defined(NO_GENERATION)
#define SAME_INODE (CTIME(INODE) == CTIME(my_inode))
#elif defined(NO_CTIME)
#define SAME_INODE (GEN(INODE) == GEN(my_inode))
#else
#define SAME_INODE (STEP(strange ||) FILE(INODE) == FILE(my_inode))
#endif
#define SAME_TREE (STEP(strange ||) TREE == my_tree)

#if defined(JOURNALLED) && !defined(NO_REFUSAL)
#define REFUSED (copied != 0 && copied >= tail) /* what was checkpointed is home */
#else
#define REFUSED false
#endif

#ifdef PASSES
#define HAND_OUT assert(mount == 0 || copy == 0)
#else
#define HAND_OUT assert(!wrong)
#endif

active proctype Reader() {
#ifndef SHARED
  VIEW;
#endif
  DATA(byte copied = 0;) /* transaction whose copy of the file's data is the last one known */
  /* The directory's block was somebody's data, which reads as the name of another file, one that stays
   * as it is. */
  STEP(bool strange = false;)
  byte my_inode = 0;
  byte my_tree = 0;
  bool wrong = false;
again:
#ifndef SHARED
  if
  :: true -> skip
  :: atomic { true -> start_anew() }              /* a reader that has just come */
  fi;
#endif
  look();
  moved = false;
  STEP(if :: NO_DIR(INODE) -> goto done :: else -> skip fi;)
  STEP(strange = (content[2] != NAMES);)
  my_inode = INODE;
  my_tree = TREE;
  if
  :: STEP(!strange &&) (my_tree == 0 || REFUSED) -> goto done
  :: else -> skip
  fi;
/* What was just read is of one moment, or is read again. The file alone does not need it: R1 and R3
 * are enough while nobody else follows the journal. */
#if (defined(JOURNALLED) || defined(STEPS) || defined(SHARED)) && !defined(NO_MOMENT)
  look();
  if :: moved -> goto done :: else -> skip fi;    /* it begins again */
#endif
#ifdef CATCH_UP_EARLY
  look();
#endif
  wrong = (content[FIRST(my_tree)] != GEN(my_inode) STEP(|| strange));
#if LEN == 2
  if
  :: SECOND(my_tree) != 0 -> wrong = (wrong || content[SECOND(my_tree)] != GEN(my_inode))
  :: else -> skip
  fi;
#endif
#ifdef NO_RECHECK
  HAND_OUT;
#else
#ifndef NO_CATCH_UP
#ifndef CATCH_UP_EARLY
  look();
#endif
  if
  :: !moved -> HAND_OUT; goto done                /* one look was enough */
  :: else -> skip
  fi;
#endif
#ifdef INODE_FIRST
  if :: SAME_INODE -> skip :: else -> goto done fi;
  if :: SAME_TREE -> skip :: else -> goto done fi;
#else
  if :: SAME_TREE -> skip :: else -> goto done fi;
  if :: SAME_INODE -> skip :: else -> goto done fi;
#endif
  HAND_OUT;
#endif
done:
  atomic { my_inode = 0; my_tree = 0; wrong = false; moved = false STEP(; strange = false) };
  goto again
}
