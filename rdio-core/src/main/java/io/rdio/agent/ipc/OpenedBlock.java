// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.VerifyCopy;

/** A block as the agent opened it in a session of this process. Immutable. */
final class OpenedBlock {
  private final AgentSession session;
  private final String name;
  private final int handle;
  private final long length;
  private final int checksumType;
  private final int chunk;
  private final int largestRead;

  private OpenedBlock(
      AgentSession session, String name, int handle, long length, int checksumType, int chunk) {
    this.session = session;
    this.name = name;
    this.handle = handle;
    this.length = length;
    this.checksumType = checksumType;
    this.chunk = chunk;
    int byCrcs = SharedSegment.CRC_ROOM / Integer.BYTES; // chunks
    int byData = Protocol.READ_MAX / chunk;
    this.largestRead =
        checksumType == VerifyCopy.UNCHECKED ? Protocol.READ_MAX : Math.min(byData, byCrcs) * chunk;
  }

  /**
   * Refuses a block that its reader cannot read; the agent has it open nevertheless.
   *
   * @param wanted bytes that the reader expects
   * @throws FallbackException CHECKSUM_UNSUPPORTED, or REPLICA_CHANGED where it is shorter
   */
  void requireReadable(long wanted) throws FallbackException {
    boolean known =
        checksumType == VerifyCopy.UNCHECKED
            || checksumType == VerifyCopy.CRC32
            || checksumType == VerifyCopy.CRC32C;
    if (!known || chunk > SharedSegment.PLACE_DATA) {
      throw new FallbackException(
          FallbackReason.CHECKSUM_UNSUPPORTED,
          name + " has checksums of type " + checksumType + " for every " + chunk + " bytes");
    }
    if (length < wanted) {
      throw new FallbackException(
          FallbackReason.REPLICA_CHANGED,
          name + " has " + length + " bytes, its reader expects " + wanted);
    }
  }

  /**
   * As an OPENED says.
   *
   * @param verify whether the reader wants bytes to be checked
   */
  static OpenedBlock of(AgentSession session, String name, Frame opened, boolean verify)
      throws MalformedMessageException {
    int handle = opened.getInt();
    long length = opened.getLong();
    int type = opened.getInt();
    int chunk = opened.getInt();
    opened.end();
    if (length < 0) {
      throw new MalformedMessageException(name + " of " + length + " bytes");
    }
    if (!verify || type == VerifyCopy.UNCHECKED) {
      return new OpenedBlock(session, name, handle, length, VerifyCopy.UNCHECKED, 1);
    }
    if (chunk < 1) {
      throw new MalformedMessageException(name + " in chunks of " + chunk + " bytes");
    }
    return new OpenedBlock(session, name, handle, length, type, chunk);
  }

  /** Where its handle is one: another session may have the same for another block. */
  AgentSession session() {
    return session;
  }

  int handle() {
    return handle;
  }

  /** Bytes of the block. */
  long length() {
    return length;
  }

  /** One of {@link VerifyCopy}'s. */
  int checksumType() {
    return checksumType;
  }

  boolean isVerified() {
    return checksumType != VerifyCopy.UNCHECKED;
  }

  /** Bytes that are verified together. */
  int chunk() {
    return chunk;
  }

  /** Bytes of whole chunks that one READ may ask for, {@code size} or somewhat less or more. */
  int wholeChunks(int size) {
    return Math.min(largestRead, Math.max(chunk, size / chunk * chunk));
  }

  /** The start of the chunk that holds an offset. */
  long chunkFloor(long offset) {
    return offset - offset % chunk;
  }

  /** The end of the chunk that ends at or behind an offset, but at most the block's end. */
  long chunkCeil(long offset) {
    long rest = offset % chunk;
    return rest == 0 ? offset : Math.min(length, offset - rest + chunk);
  }

  @Override
  public String toString() {
    return name;
  }
}
