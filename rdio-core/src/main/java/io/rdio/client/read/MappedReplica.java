// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.ReadGeometry;
import io.rdio.client.filemap.FileMapSource;
import io.rdio.client.plane.ChunkCrcs;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.time.MonotonicClock;

/**
 * A file map together with the local device that its extents count from, found fit for reading.
 * Safe for any number of threads.
 *
 * @param maps where the map is from
 * @param verify whether bytes are checked against the meta file; false too where that has no CRCs
 * @param chunks of single bytes where nothing is checked
 */
record MappedReplica(
    FileMap map, FileMapSource maps, BlockDevice device, boolean verify, Chunks chunks) {
  /**
   * Puts the two together and refuses what could not be read safely: with maps of a healthy
   * DataNode that never happens.
   *
   * @param length bytes that the reader means to see
   * @param maxChunk largest chunk that can be verified
   */
  static MappedReplica of(
      FileMap map,
      FileMapSource maps,
      BlockDevice device,
      boolean verify,
      long length,
      int maxChunk)
      throws FallbackException {
    boolean wanted = verify || map.origin().mustVerify();
    boolean hasChecksums = wanted && map.checksum().type() != ChecksumSpec.Type.NULL;
    if (map.blockLength() < length) {
      throw new FallbackException(
          FallbackReason.REPLICA_CHANGED,
          map.block() + " has " + map.blockLength() + " bytes, its reader expects " + length);
    }
    if (map.blockExtents().length() < map.blockLength()) {
      throw broken(map, "extents of " + map.blockExtents().length() + " bytes for its block file");
    }
    if (device.alignment() > ReadGeometry.ALIGNMENT) {
      throw new FallbackException(
          FallbackReason.DEVICE_UNSUPPORTED,
          device.name() + " wants reads aligned to " + device.alignment() + " bytes");
    }
    if (hasChecksums) {
      requireVerifiable(map, maxChunk);
    }
    Chunks chunks = Chunks.of(hasChecksums ? map.checksum().bytesPerChecksum() : 1);
    return new MappedReplica(map, maps, device, hasChecksums, chunks);
  }

  private static void requireVerifiable(FileMap map, int maxChunk) throws FallbackException {
    ChecksumSpec checksum = map.checksum();
    if (checksum.bytesPerChecksum() < 1 || checksum.headerLength() < 0) {
      throw broken(map, checksum.toString());
    }
    if (map.metaExtents().length() < checksum.metaLength(map.blockLength())) {
      throw broken(map, "extents of " + map.metaExtents().length() + " bytes for its meta file");
    }
    if (Math.min(checksum.bytesPerChecksum(), map.blockLength()) > maxChunk) {
      throw new FallbackException(
          FallbackReason.CHECKSUM_UNSUPPORTED,
          map.block()
              + " has chunks of "
              + checksum.bytesPerChecksum()
              + " bytes, more than "
              + Setting.READ_WINDOW
              + ", "
              + maxChunk);
    }
  }

  private static FallbackException broken(FileMap map, String what) {
    return new FallbackException(
        FallbackReason.METADATA_PLANE_ERROR,
        map.dataNode()
            + " maps "
            + map.block()
            + " of "
            + map.blockLength()
            + " bytes with "
            + what);
  }

  /** Whether another replica's bytes lie in chunks like this one's, and are checked like them. */
  boolean readsLike(MappedReplica other) {
    return verify == other.verify
        && map.blockLength() == other.map.blockLength()
        && map.checksum().equals(other.map.checksum());
  }

  /** Bytes that are verified together: whoever wants one of them must read them all. */
  int chunk() {
    return chunks.bytes();
  }

  /** Bytes of the block's first chunk, the longest: what a window must hold at least. */
  int largestChunk() {
    return (int) Math.min(chunk(), map.blockLength());
  }

  /** The start of the chunk that holds an offset of the block. */
  long chunkFloor(long offset) {
    return chunks.floor(offset);
  }

  /** The end of the chunk that ends at or behind an offset, but at most the end of the block. */
  long chunkCeil(long offset) {
    long floor = chunks.floor(offset);
    return floor == offset ? offset : Math.min(map.blockLength(), floor + chunk());
  }

  /** Where the CRC of the chunk that starts at an offset is among the block's CRCs, in bytes. */
  long crcPosition(long offset) {
    return chunks.in(offset) * ChecksumSpec.CRC_BYTES;
  }

  /** The same for the end of the CRCs of what ends at an offset. */
  long crcEnd(long offset) {
    return chunks.over(offset) * ChecksumSpec.CRC_BYTES;
  }

  /** All CRCs of the block, in bytes. */
  long allCrcBytes() {
    return crcEnd(map.blockLength());
  }

  /** Where the page of CRCs that holds a position ends, were it not the last one. */
  long pageEnd(long position) {
    return position - position % ChunkCrcs.PAGE_BYTES + ChunkCrcs.PAGE_BYTES;
  }

  /** Whether the map's guard would pass at a time, as far as it knows without looking. */
  boolean isGuarded(long nowNanos) {
    return map.guard().isValid(nowNanos);
  }

  /** Before the first I/O of a piece, and before bytes that were kept are handed out. */
  void guardBefore(long nowNanos) throws FallbackException {
    map.guard().before(map, device, nowNanos);
  }

  /** Behind the last I/O of a piece, before any of its bytes are used. */
  void guardAfter(MonotonicClock clock) throws FallbackException {
    map.guard().after(map, device, clock);
  }
}
