// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;

/**
 * What checksums a file system has, and the state that they start from. Immutable.
 *
 * @param metadata whether all metadata has CRC-32C (metadata_csum)
 * @param descriptors whether group descriptors have CRC-16 (uninit_bg); never with the first
 * @param seed of CRC-32C: of the UUID, or a number of its own that outlives the UUID
 * @param uuidCrc16 the CRC-16 of the UUID
 */
record MetadataChecksums(boolean metadata, boolean descriptors, int seed, int uuidCrc16) {
  static MetadataChecksums of(Features features, ByteBuffer uuid, int storedSeed) {
    boolean metadata = features.has(Feature.METADATA_CSUM);
    int ofUuid = Crc32c.extend(Crc32c.START, uuid);
    return new MetadataChecksums(
        metadata,
        !metadata && features.has(Feature.GDT_CSUM),
        features.has(Feature.CSUM_SEED) ? storedSeed : ofUuid,
        Crc16.extend(Crc16.START, uuid));
  }

  /** The state that checksums of an inode and of what belongs to it start from. */
  int seedOf(long inode, int generation) {
    return Crc32c.extend(Crc32c.extend(seed, (int) inode), generation);
  }
}
