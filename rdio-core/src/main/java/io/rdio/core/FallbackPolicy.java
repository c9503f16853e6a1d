// SPDX-License-Identifier: Apache-2.0
package io.rdio.core;

/**
 * What follows from a {@link FallbackReason}. Whoever decides something by a reason asks these, not
 * for constants, so that a new constant is decided about where it is added.
 */
public final class FallbackPolicy {
  private final Scope scope;
  private final Memory memory;
  private final Loudness loudness;
  private final Speaker speaker;
  private final MapVerdict mapVerdict;

  FallbackPolicy(
      Scope scope, Memory memory, Loudness loudness, Speaker speaker, MapVerdict mapVerdict) {
    this.scope = scope;
    this.memory = memory;
    this.loudness = loudness;
    this.speaker = speaker;
    this.mapVerdict = mapVerdict;
  }

  /** What else the reason holds for. */
  public Scope scope() {
    return scope;
  }

  /** How long it is remembered for that. */
  public Memory memory() {
    return memory;
  }

  /** What the log makes of it. */
  public Loudness loudness() {
    return loudness;
  }

  /** Who may name it on the wire. */
  public Speaker speaker() {
    return speaker;
  }

  /** What a reader makes of the file map that it met it with. */
  public MapVerdict mapVerdict() {
    return mapVerdict;
  }

  /** What a reason says something about, and so what else it holds for. */
  public enum Scope {
    /** A host as it is set up: the client's, or the DataNode's. */
    HOST,
    /** One DataNode's metadata plane. */
    PLANE,
    /** One storage of a DataNode, and its device. */
    STORAGE,
    /** One replica of a block. */
    REPLICA,
    /** A block, whichever replica is asked. */
    BLOCK,
    /** The one read. */
    READ
  }

  /** How long a client goes by a reason before it tries again. */
  public enum Memory {
    /** Not at all: it is over in a moment, or trying again costs nothing. */
    NONE,
    /** No DataNode is asked for this block for a moment, for it would say the same. */
    MOMENT,
    /** What is in the scope is left alone for the back-off. */
    BACK_OFF,
    /** As {@link #BACK_OFF}, but for the quarantine: it does not get better by itself. */
    QUARANTINE
  }

  /** What the log makes of a read that stock HDFS serves. */
  public enum Loudness {
    /** Nobody's fault: for debugging only. */
    ROUTINE,
    /** A warning with its fix, once in a while. */
    NOTEWORTHY,
    /** A fault of RDIO itself: an error with its stack trace, once in a while. */
    ALARMING
  }

  /** Who may name a reason on the wire. */
  public enum Speaker {
    /** Nobody: only a client can find it, about itself or about what it sees. */
    CLIENT,
    /** A DataNode. A client may find it too. */
    DATANODE
  }

  /** What a reader makes of the file map that it met a reason with. */
  public enum MapVerdict {
    /** Nothing is wrong with it: another map would not help, stock HDFS serves. */
    STANDS,
    /** It cannot be used on this host, as is found before the read: another map is worth a try. */
    USELESS_HERE,
    /** It was good, and is no longer: the read begins anew with another map. */
    GREW_OLD,
    /** Its bytes are in doubt: as {@link #GREW_OLD}, and stock HDFS is asked about the replica. */
    SUSPECT,
    /** Its device is not to be used as it was found: it is looked for anew, as is another map. */
    DEVICE_FAILED,
    /**
     * Its device keeps readers waiting. Before the read as {@link #USELESS_HERE}; who waited in the
     * read has waited long enough for stock HDFS to serve it, and only later reads have another.
     */
    DEVICE_HANGS;

    /** Whether another map is worth a try that is asked for before the read. */
    public boolean isFoundBeforeRead() {
      switch (this) { // without a default, so that nobody forgets a new one
        case USELESS_HERE:
        case DEVICE_FAILED:
        case DEVICE_HANGS:
          return true;
        case STANDS:
        case GREW_OLD:
        case SUSPECT:
          return false;
      }
      throw new AssertionError(this);
    }

    /** Whether a read that met it is worth a second try, by another map. */
    public boolean isWorthAnotherMap() {
      switch (this) {
        case GREW_OLD:
        case SUSPECT:
        case DEVICE_FAILED:
          return true;
        case STANDS:
        case USELESS_HERE:
        case DEVICE_HANGS:
          return false;
      }
      throw new AssertionError(this);
    }
  }
}
