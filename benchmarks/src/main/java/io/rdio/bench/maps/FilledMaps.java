// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.maps;

import io.rdio.client.filemap.CachedMaps;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.GrantOrigin;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.table.SlotTable;
import java.time.Duration;
import java.util.UUID;

/**
 * What a client keeps of so many blocks of 128 MiB in four extents: their maps by block, as the
 * FileMap cache does, and by lease id, as the metadata client does.
 */
final class FilledMaps {
  private static final String POOL = "BP-1073741825-10.0.0.1-1700000000000";
  private static final long FIRST_ID = 1L << 30;
  private static final int EXTENTS = 4;
  private static final long EXTENT_BYTES = 32 << 20;
  private static final long META_BYTES = 2 << 20;

  /** On a device of 40 TiB, behind the meta files; places of other devices are the same. */
  private static final long FIRST_DATA = 1L << 43;

  private static final long DEVICE_BLOCKS = 1L << 18;

  private static final int LEASE_STRIPE_BITS = 4;

  private final GrantOrigin origin =
      new GrantOrigin(
          "datanode:9860",
          1,
          "DS-1",
          new DeviceIdentity("ext4", new UUID(1, 2), 1L << 60, "", 0, "/dev/x"),
          8192,
          1,
          new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7));

  final CachedMaps maps = new CachedMaps(Long.MAX_VALUE, map -> {});
  final SlotTable<Long, FileMap> leases =
      new SlotTable<>(map -> Lease.of(map).id(), LEASE_STRIPE_BITS);

  /**
   * @param nowNanos on the clock that lookups are to use; the leases last a day from then on
   */
  FilledMaps(int blocks, long nowNanos) {
    for (int i = 0; i < blocks; i++) {
      FileMap map = map(i, nowNanos);
      leases.putIfAbsent(map);
      maps.add(map);
    }
  }

  /** A key of its own, as each request has one. */
  static BlockKey key(long index) {
    return new BlockKey(POOL, FIRST_ID + index, index + 1001);
  }

  private FileMap map(long index, long nowNanos) {
    long[] physical = new long[EXTENTS];
    long[] length = new long[EXTENTS];
    long onDevice = index % DEVICE_BLOCKS;
    for (int i = 0; i < EXTENTS; i++) {
      physical[i] = FIRST_DATA + (onDevice * EXTENTS + 2L * i) * EXTENT_BYTES;
      length[i] = EXTENT_BYTES;
    }
    return new FileMap(
        key(index),
        origin,
        EXTENTS * EXTENT_BYTES,
        ExtentList.of(physical, length),
        ExtentList.of(new long[] {onDevice * META_BYTES}, new long[] {META_BYTES}),
        new Lease(index + 1, index + 1, nowNanos, nowNanos + Duration.ofDays(1).toNanos()));
  }
}
