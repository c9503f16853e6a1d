// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

/** Why a scan of the log went no further. */
public enum LogEnd {
  /** The journal's superblock says that the log is empty. */
  EMPTY,
  /**
   * The next block is no start of the next transaction, or that one has no commit block: yet, or
   * for ever, because its writer died before.
   */
  SEQUENCE,
  /**
   * The next transaction's commit block is not whole: it is just being written, was torn, or was
   * whole and has been damaged, and then what was read is not all. Nobody can tell which, and the
   * kernel does not mount over it either.
   */
  CHECKSUM,
  /**
   * The next transaction was committed before the one in front of it, and before the file system
   * was mounted. So it is of an earlier log that counted through the same sequences, or the
   * writer's clock was wrong when it mounted and was set back since; then it is newer than all that
   * was read, so nobody may rely on this end.
   */
  COMMIT_TIME;

  /**
   * Whether all that was committed is in front of it. Else the log may go on behind it, or a commit
   * block was being written: who relies on the end looks again.
   */
  public boolean isProper() {
    return this == EMPTY || this == SEQUENCE;
  }
}
