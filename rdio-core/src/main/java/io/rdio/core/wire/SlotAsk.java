// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import java.util.regex.Pattern;

/**
 * What a client asks a DataNode for that it wants to write a replica to. Immutable.
 *
 * @param storageId of the DataNode, as the NameNode chose it; "" for the DataNode's own choice
 * @param bytes a hint: the block's length if it is known, else the block size; 1 to {@link
 *     WriteCodec#BLOCK_BYTES_MAX}
 * @param checksum of the block; not {@link ChecksumSpec.Type#NULL}, for a commit is verified
 * @param bytesPerChecksum {@link WriteCodec#CHUNK_BYTES_MIN} to {@link WriteCodec#CHUNK_BYTES_MAX}
 * @param hostKey name of the client's process, by which it makes the keys that its host is
 *     registered by ({@code AgentKey}); 0 where it registers with no device
 */
public record SlotAsk(
    BlockKey block,
    String storageId,
    long bytes,
    ChecksumSpec.Type checksum,
    int bytesPerChecksum,
    long hostKey) {
  private static final Pattern STORAGE_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,127}");

  /**
   * @throws IllegalArgumentException if a value is out of range, saying which
   */
  public SlotAsk {
    if (!storageId.isEmpty()) {
      requireStorageId(storageId);
    }
    Sane.check(bytes >= 1 && bytes <= WriteCodec.BLOCK_BYTES_MAX, "bytes to write", bytes);
    Sane.check(checksum != ChecksumSpec.Type.NULL, "checksum type", checksum.id());
    Sane.check(
        bytesPerChecksum >= WriteCodec.CHUNK_BYTES_MIN
            && bytesPerChecksum <= WriteCodec.CHUNK_BYTES_MAX,
        "bytes per checksum",
        bytesPerChecksum);
  }

  /** The same of a process with this name. */
  public SlotAsk by(long process) {
    return new SlotAsk(block, storageId, bytes, checksum, bytesPerChecksum, process);
  }

  static void requireStorageId(String storageId) {
    if (!STORAGE_ID.matcher(storageId).matches()) {
      throw new IllegalArgumentException(
          "storage_id of " + storageId.length() + " characters is not a storage's");
    }
  }
}
