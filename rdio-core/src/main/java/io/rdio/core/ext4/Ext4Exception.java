// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.FallbackException;
import org.jspecify.annotations.Nullable;

/**
 * A question about an ext4 file system that has no answer. Checked, so that no caller forgets it,
 * and without a stack trace of its own: it is an answer too.
 */
public final class Ext4Exception extends Exception {
  /** Why there is no answer. */
  public enum Kind {
    /** The file system or the file uses what this reader does not read, named in the message. */
    UNSUPPORTED,
    /**
     * A block does not hold what its place says; it is damaged, hostile, or it has just changed.
     */
    DAMAGED,
    /** The device has xfs, which is another file system. */
    XFS,
    /** There is no such file, directory or inode. */
    NOT_FOUND,
    /** The device did not give its bytes; the cause says why. */
    IO
  }

  private final Kind kind;

  private Ext4Exception(Kind kind, String detail, @Nullable Throwable cause) {
    super(kind + ": " + detail, cause, false, false);
    this.kind = kind;
  }

  public static Ext4Exception unsupported(String what) {
    return new Ext4Exception(Kind.UNSUPPORTED, what, null);
  }

  /** Refuses a whole device. */
  static Ext4Exception xfs() {
    return new Ext4Exception(Kind.XFS, "the device has xfs, and only ext4 is read here", null);
  }

  /**
   * Something else is in a block than should be.
   *
   * @param block of the file system
   */
  public static Ext4Exception damaged(long block, String what) {
    return new Ext4Exception(Kind.DAMAGED, "block " + block + ": " + what, null);
  }

  public static Ext4Exception notFound(String what) {
    return new Ext4Exception(Kind.NOT_FOUND, what, null);
  }

  public static Ext4Exception io(FallbackException cause) {
    return new Ext4Exception(Kind.IO, cause.detail(), cause);
  }

  public Kind kind() {
    return kind;
  }
}
