// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

/**
 * Numbers that thin client and agent share. All integers of a message are in native order, for both
 * are on one host; a text or a token is its length in two bytes, then its bytes (texts in UTF-8).
 */
public final class Protocol {
  /** What HELLO, JOIN and STATUS begin with, so that whoever knocks by mistake is told at once. */
  public static final int MAGIC = 0x6f696472;

  /** Versions spoken here; the highest that both ends know is used. */
  public static final int VERSION_MIN = 1;

  public static final int VERSION_MAX = 1;

  /**
   * Bytes of the longest message: an OPEN with a file's longest name and a long token. An ALLOCATE
   * of many targets and a name of that length is longer, and not sent.
   */
  public static final int MESSAGE_MAX = 16 << 10;

  /** Bytes of a name that the client gives itself, for people. */
  public static final int NAME_MAX = 256;

  /** Bytes of a block pool's id. */
  public static final int POOL_MAX = 256;

  /** Bytes of a file's path: 8000 characters are HDFS's own limit. */
  public static final int PATH_MAX = 12_000;

  /** Bytes of a block token in the form of Token.write. */
  public static final int TOKEN_MAX = 3_000;

  /** Bytes of what a REFUSED says beside its reason. */
  public static final int DETAIL_MAX = 1_000;

  /** Bytes of a session's key. */
  public static final int KEY_BYTES = 16;

  /** Most bytes of a block in one READ. */
  public static final int READ_MAX = 1 << 20;

  /** What the place of a READ's bytes must have beyond them: extents may lie off alignment. */
  public static final int SLACK = 16 << 10;

  /** What places in the segment are multiples of. */
  public static final int ALIGNMENT = 4 << 10;

  /** READs of one lane that may be under way. */
  public static final int READS_MAX = 16;

  /** Most bytes of a block in one WRITE. */
  public static final int WRITE_MAX = 1 << 20;

  /**
   * WRITEs of one lane that are under way at the devices; more may be sent. So many bytes have a
   * device on the other end of a fabric busy while one of them is answered and the next is taken.
   */
  public static final int WRITES_MAX = 4;

  /** Replicas of a block in one ALLOCATE. */
  public static final int TARGETS_MAX = 16;

  /** Bytes of the name of an erasure code. */
  public static final int CODEC_MAX = 64;

  /** Of ALLOCATE_GROUP: a stripe's parity is written before the next stripe is taken. */
  public static final int PARITY_IMMEDIATE = 0;

  /** Of ALLOCATE_GROUP: parity is written behind the data, and COMMIT waits for it. */
  public static final int PARITY_AWAITED = 1;

  /** Of ALLOCATE_GROUP: parity is written and committed behind the data. */
  public static final int PARITY_DEFERRED = 2;

  /** Bytes of a host's name. */
  public static final int HOST_MAX = 255;

  /** Bytes of a storage's id. */
  public static final int STORAGE_MAX = 128;

  /** Where in the segment the client says how many of its places are in use; 0 for none. */
  public static final int IN_USE_AT = 0;

  /** Flag of OPEN: somebody reads on, so the following block's map may be fetched too. */
  public static final int READS_ON = 1;

  /** Flag of OPEN: little of it is wanted, which stock HDFS may serve where its map is not here. */
  public static final int WANTS_LITTLE = 2;

  /** Flag of READ: its CRCs will be wanted again, as those of positional reads are. */
  public static final int KEEP_CRCS = 1;

  /** Flag of READ: no CRCs are wanted. */
  public static final int NO_CRCS = 2;

  /** Flag of READ: nothing more is asked for before it is answered, so nobody need look. */
  public static final int ALONE = 4;

  /** Flag of READ: a reader begins by it, so it needs a map that is not recalled. */
  public static final int BEGINS = 8;

  /** Kinds of messages; a number that was released keeps its meaning. */
  public static final int HELLO = 1;

  public static final int WELCOME = 2;
  public static final int SEGMENT = 3;
  public static final int OK = 4;
  public static final int JOIN = 5;
  public static final int OPEN = 6;
  public static final int OPENED = 7;
  public static final int READ = 8;
  public static final int DONE = 9;
  public static final int REFUSED = 10;
  public static final int CLOSE = 11;
  public static final int MISMATCH = 12;
  public static final int STATUS = 13;
  public static final int TEXT = 14;
  public static final int ALLOCATE = 15;
  public static final int ALLOCATED = 16;
  public static final int REFUSED_TARGET = 17;
  public static final int WRITE = 18;
  public static final int WRITTEN = 19;
  public static final int COMMIT = 20;
  public static final int COMMITTED = 21;
  public static final int ABORT = 22;
  public static final int ALLOCATE_GROUP = 23;

  /** The highest of them. */
  public static final int LAST_KIND = ALLOCATE_GROUP;

  private Protocol() {}
}
