// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A block that a process wants to write, as the NameNode gave it. Immutable. */
public final class BlockToWrite {
  /** Kind, tag, id, stamp, bytes, type, chunk and count. */
  private static final int FIXED_BYTES = 5 * Integer.BYTES + 3 * Long.BYTES;

  private final String pool;
  private final long id;
  private final long generationStamp;
  private final String file;
  private final long bytes;
  private final ChecksumSpec.Type checksumType;
  private final int bytesPerChecksum;
  private final List<WriteTarget> targets;

  /** Null for a block of replicas. */
  private final @Nullable GroupStripes stripes;

  /**
   * A block.
   *
   * @param file absolute path of its file, for people
   * @param bytes what it will have at most: its length if that is known, else the block size; above
   *     0
   * @param checksumType CRC32 or CRC32C
   * @param bytesPerChecksum above 0
   * @param targets of its replicas, one each; their order is that of the bits that say which of
   *     them have it
   */
  public BlockToWrite(
      String pool,
      long id,
      long generationStamp,
      String file,
      long bytes,
      ChecksumSpec.Type checksumType,
      int bytesPerChecksum,
      List<WriteTarget> targets) {
    this.pool = pool;
    this.id = id;
    this.generationStamp = generationStamp;
    this.file = file;
    this.bytes = bytes;
    this.checksumType = checksumType;
    this.bytesPerChecksum = bytesPerChecksum;
    this.targets = new ArrayList<>(targets);
    this.stripes = null;
  }

  private BlockToWrite(BlockToWrite block, GroupStripes stripes) {
    this.pool = block.pool;
    this.id = block.id;
    this.generationStamp = block.generationStamp;
    this.file = block.file;
    this.bytes = block.bytes;
    this.checksumType = block.checksumType;
    this.bytesPerChecksum = block.bytesPerChecksum;
    this.targets = block.targets;
    this.stripes = stripes;
  }

  /** The same as a group of erasure-coded blocks, with a target for each. */
  public BlockToWrite asGroup(GroupStripes how) {
    return new BlockToWrite(this, how);
  }

  /** The message that asks for it. */
  int kind() {
    return stripes == null ? Protocol.ALLOCATE : Protocol.ALLOCATE_GROUP;
  }

  long bytes() {
    return bytes;
  }

  /** One of {@link io.rdio.nativeio.VerifyCopy}'s. */
  int checksumType() {
    return checksumType.id();
  }

  int bytesPerChecksum() {
    return bytesPerChecksum;
  }

  int targets() {
    return targets.size();
  }

  /**
   * Refuses a block that cannot be asked for.
   *
   * @throws FallbackException CHECKSUM_UNSUPPORTED or WRITE_UNSUPPORTED
   */
  void requireSendable() throws FallbackException {
    boolean known = checksumType != ChecksumSpec.Type.NULL;
    if (!known || bytesPerChecksum < 1 || bytesPerChecksum > Protocol.WRITE_MAX) {
      throw new FallbackException(
          FallbackReason.CHECKSUM_UNSUPPORTED,
          this + " with checksums of type " + checksumType + " for " + bytesPerChecksum + " bytes");
    }
    if (targets.isEmpty() || targets.size() > Protocol.TARGETS_MAX || bytes < 1) {
      throw new FallbackException(
          FallbackReason.WRITE_UNSUPPORTED,
          this + " of up to " + bytes + " bytes to " + targets.size() + " targets");
    }
    GroupStripes how = stripes;
    if (how != null && (how.units() != targets.size() || how.cellBytes() % bytesPerChecksum != 0)) {
      throw new FallbackException(
          FallbackReason.WRITE_UNSUPPORTED,
          this
              + " of "
              + how
              + " to "
              + targets.size()
              + " targets, with checksums for "
              + bytesPerChecksum
              + " bytes each");
    }
    if (length() > Protocol.MESSAGE_MAX) {
      throw new FallbackException(
          FallbackReason.WRITE_UNSUPPORTED,
          this + ": names and tokens of its targets are too long for a message to the agent");
    }
  }

  private int length() {
    int length = FIXED_BYTES + mostBytes(pool) + mostBytes(file);
    length += stripes == null ? 0 : stripes.mostBytes();
    WriteTarget before = targets.get(0);
    for (WriteTarget target : targets) {
      length += target.mostBytes(before);
      before = target;
    }
    return length;
  }

  static int mostBytes(String text) {
    return Short.BYTES + text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** Adds what the message that asks for it says of it. */
  void putTo(Frame allocate) throws MalformedMessageException {
    GroupStripes how = stripes;
    (how == null ? allocate : how.putTo(allocate))
        .put(id)
        .put(generationStamp)
        .put(pool, Protocol.POOL_MAX)
        .put(file, Protocol.PATH_MAX)
        .put(bytes)
        .put(checksumType.id())
        .put(bytesPerChecksum)
        .put(targets.size());
    WriteTarget before = targets.get(0);
    for (WriteTarget target : targets) {
      target.putTo(allocate, before);
      before = target;
    }
  }

  @Override
  public String toString() {
    return pool + ":blk_" + id + "_" + generationStamp + " of " + file;
  }
}
