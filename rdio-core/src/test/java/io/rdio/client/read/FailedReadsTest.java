// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of a block that has one replica. */
class FailedReadsTest {
  private static final int LENGTH = 10_000;

  private final TestBlock block =
      new TestBlock(16, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  private final ReadFixture fixture = new ReadFixture(block, 512);
  private final FailedReads failures =
      new FailedReads(fixture.context, block.request, true, LENGTH);

  private MappedReplica replica() throws FallbackException {
    return fixture.context.resolve(block.request, true, LENGTH);
  }

  @Test
  void anotherMapMayHelpOnce() throws Exception {
    MappedReplica failed = replica();
    assertThat(failures.leaveHope(failed, FallbackReason.LEASE_EXPIRED, 1)).isTrue();
    assertThat(failures.leaveHope(failed, FallbackReason.LEASE_EXPIRED, 2)).isFalse();
    assertThat(fixture.maps.rejections())
        .containsExactly(FallbackReason.LEASE_EXPIRED, FallbackReason.LEASE_EXPIRED);
  }

  @Test
  void noneHelpsWhereTheClientHasNoMemory() throws Exception {
    assertThat(failures.leaveHope(replica(), FallbackReason.BUFFERS_EXHAUSTED, 1)).isFalse();
    assertThat(fixture.maps.rejections()).isEmpty();
  }

  @Test
  void whoHasWaitedForADeviceWaitsForNoOther() throws Exception {
    assertThat(failures.leaveHope(replica(), FallbackReason.DEVICE_TIMEOUT, 1)).isFalse();
    assertThat(fixture.maps.rejections()).containsExactly(FallbackReason.DEVICE_TIMEOUT);
  }

  @Test
  void mapsOfWrongBytesAreToldOnce() throws Exception {
    FileMap map = replica().map();
    assertThat(FailedReads.with(List.of(), map, FallbackReason.LEASE_EXPIRED)).isEmpty();
    List<FileMap> wrong = FailedReads.with(List.of(), map, FallbackReason.CHECKSUM_MISMATCH);
    assertThat(wrong).containsExactly(map);
    assertThat(failures.takeSuspect()).isNull();
    failures.suspect(List.of());
    failures.suspect(wrong);
    assertThat(failures.takeSuspect()).isSameAs(map);
    assertThat(failures.takeSuspect()).isNull();
  }
}
