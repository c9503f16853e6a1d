// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.device.DeviceOrigin;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.FakeMaps;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.testing.MemoryDevice;
import io.rdio.core.testing.TestBlock;
import org.junit.jupiter.api.Test;

/** Readers who do without checksums, by a lease and without one. */
final class MappedReplicaTest {
  private final TestBlock block =
      new TestBlock(1, 1 << 20, ChecksumSpec.Type.CRC32C, 512, 4096, 1 << 20);
  private final ManualClock clock = new ManualClock();
  private final FileMap granted =
      block.map(new Lease(1, 1, clock.nanos(), clock.nanos() + TestBlock.LEASE.toNanos()));

  private boolean verifies(FileMap map, boolean verify) throws FallbackException {
    return MappedReplica.of(
            map,
            new FakeMaps(clock),
            new MemoryDevice(block.image, 512),
            verify,
            map.blockLength(),
            1 << 20)
        .verify();
  }

  @Test
  void byALeaseWhoWantsNoneVerifiesNone() throws Exception {
    assertThat(verifies(granted, true)).isTrue();
    assertThat(verifies(granted, false)).isFalse();
  }

  /** A page of it may not have been written back when its host died. */
  @Test
  void byTheDeviceEverybodyVerifies() throws Exception {
    FileMap byDevice =
        new FileMap(
            granted.block(),
            new DeviceOrigin("dn", granted.storageId(), granted.device(), granted.checksum()),
            granted.blockLength(),
            granted.blockExtents(),
            granted.metaExtents(),
            granted.guard());
    assertThat(verifies(byDevice, false)).isTrue();
  }
}
