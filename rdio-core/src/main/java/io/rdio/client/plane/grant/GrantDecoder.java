// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.github.benmanes.caffeine.cache.Interner;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.Witness;
import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.DeviceCodec;
import io.rdio.core.wire.ExtentCodec;

/**
 * Turns a DataNode's answer into file maps and believes nothing of it: whatever does not add up is
 * refused with METADATA_PLANE_ERROR. Thread-safe.
 */
final class GrantDecoder {
  private static final int MAX_NAME_LENGTH = 1024;

  private final String endpoint;
  private final LeaseTerms terms;
  private final boolean nullChecksums;

  // What maps have in common is there once.
  private final Interner<GrantOrigin> origins = Interner.newWeakInterner();
  private final Interner<String> pools = Interner.newWeakInterner();

  /**
   * @param nullChecksums whether a DataNode that has not proved who it is may say that a block has
   *     no checksums
   */
  GrantDecoder(String endpoint, LeaseTerms terms, boolean nullChecksums) {
    this.endpoint = endpoint;
    this.terms = terms;
    this.nullChecksums = nullChecksums;
  }

  /**
   * The file map in an answer about a block.
   *
   * @param sent before the request was, from which its lease counts
   * @throws FallbackException METADATA_PLANE_ERROR or CHECKSUM_UNSUPPORTED
   */
  FileMap decode(BlockKey block, GrantExchange.Answer answer, long sent) throws FallbackException {
    try {
      return believable(block, answer, sent);
    } catch (IllegalArgumentException e) {
      throw PlaneErrors.garbage(endpoint, e.getMessage() + " for " + block);
    }
  }

  private FileMap believable(BlockKey block, GrantExchange.Answer answer, long sent)
      throws FallbackException {
    io.rdio.core.wire.proto.FileMap map = answer.map();
    BlockKey mapped = BlockIds.decode(map.getBlock());
    if (!mapped.equals(block)) {
      throw new IllegalArgumentException("a map of " + mapped);
    }
    DeviceIdentity device = DeviceCodec.decode(map.getDevice());
    long blockLength = map.getBlockLength();
    long metaLength = map.getMetaLength();
    check(blockLength >= 0 && blockLength <= device.sizeBytes(), "block length", blockLength);
    check(metaLength >= 0 && metaLength <= device.sizeBytes(), "meta length", metaLength);
    ChecksumSpec checksum = checksum(block, map, answer.authentic() || nullChecksums);
    check(metaLength >= checksum.metaLength(blockLength), "meta length", metaLength);
    check(map.getStorageId().length() <= MAX_NAME_LENGTH, "storage id", -1);
    Witness witness = DeviceCodec.decode(map.getWitness(), device);
    GrantOrigin origin =
        new GrantOrigin(
            endpoint,
            answer.incarnation(),
            map.getStorageId(),
            device,
            witness.offset(),
            witness.nonce(),
            checksum);
    return new FileMap(
        new BlockKey(pools.intern(block.poolId()), block.blockId(), block.generationStamp()),
        origins.intern(origin),
        blockLength,
        ExtentCodec.decode(map.getBlockExtents(), blockLength, device),
        ExtentCodec.decode(map.getMetaExtents(), metaLength, device),
        new Lease(
            map.getLeaseId(), witness.count(), sent, terms.deadline(sent, answer.leaseMillis())));
  }

  /**
   * Stock HDFS too takes a DataNode's word that a block has no checksums, but it asks the DataNode
   * that the NameNode named, on a port that it vouched for. Whoever took the RDIO port must not be
   * able to switch the verifying off.
   */
  private ChecksumSpec checksum(
      BlockKey block, io.rdio.core.wire.proto.FileMap map, boolean mayBeNull)
      throws FallbackException {
    ChecksumSpec.Type type = ChecksumSpec.Type.of(map.getChecksumType());
    if (type == ChecksumSpec.Type.NULL && !mayBeNull) {
      throw new FallbackException(
          FallbackReason.CHECKSUM_UNSUPPORTED,
          block
              + " has no checksums, says "
              + endpoint
              + ", which has not proved that it is the DataNode. To believe it set "
              + Setting.CHECKSUM_TYPE
              + " to NULL here, or use block tokens or TLS");
    }
    int chunk = map.getBytesPerChecksum();
    check(chunk >= 1, "bytes per checksum", chunk);
    int header = map.getMetaHeaderLength();
    check(header >= 0, "meta header length", header);
    return new ChecksumSpec(type, chunk, header);
  }

  private static void check(boolean sane, String what, long value) {
    if (!sane) {
      throw new IllegalArgumentException(what + " is " + value);
    }
  }
}
