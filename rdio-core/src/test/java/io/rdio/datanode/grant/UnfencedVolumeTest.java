// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.datanode.volume.FenceStatus;
import io.rdio.datanode.volume.VolumeIdentifier;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A volume whose device may be another host's by now: nothing new is promised of it. */
final class UnfencedVolumeTest {
  @TempDir Path root;
  private GrantFixture fixture;
  private BlockKey pinned;
  private long lease;
  private final Fence fence = new Fence();

  /** A device that this host is shut out of whenever the test says so. */
  private static final class Fence implements VolumeIdentifier {
    private boolean lost;
    private boolean begun;

    @Override
    public void requireFenced(Path volumeRoot) throws FallbackException {
      if (begun) {
        throw new FallbackException(FallbackReason.VOLUME_UNFENCED, "not shut out yet");
      }
    }

    @Override
    public DeviceIdentity identify(Path volumeRoot) throws FallbackException {
      FallbackException obstacle = obstacle(volumeRoot);
      if (obstacle != null) {
        throw obstacle;
      }
      return GrantFixture.DEVICE;
    }

    @Override
    public @Nullable FallbackException obstacle(Path volumeRoot) {
      return lost ? new FallbackException(FallbackReason.VOLUME_UNFENCED, "shut out") : null;
    }

    @Override
    public FenceStatus fence(Path volumeRoot) {
      return new FenceStatus(!lost, "");
    }
  }

  @BeforeEach
  void start() {
    fixture = new GrantFixture(root);
    fixture.identifier = fence;
    fixture.start(GrantFixture.CONFIG);
    pinned = fixture.hdfs.write(1, 100);
    lease = fixture.lease("a", pinned);
    assertThat(fixture.renew("a", lease)).isEqualTo(GrantFixture.LEASE_MILLIS);
  }

  private VolumeStatus volume() {
    return fixture.service.volumes().get(0);
  }

  @Test
  void neitherPinnedBlocksNorOthersAreGranted() {
    fence.lost = true;

    assertThat(fixture.refusal("b", pinned)).isEqualTo(FallbackReason.VOLUME_UNFENCED);
    assertThat(fixture.refusal("b", fixture.hdfs.write(2, 100)))
        .isEqualTo(FallbackReason.VOLUME_UNFENCED);
  }

  @Test
  void leasesRunOutAsTheyWouldHave() {
    fence.lost = true;

    assertThat(fixture.renew("a", lease)).isZero();
    assertThat(fixture.links()).as("nothing is unpinned for it").hasSize(2);
  }

  @Test
  void itIsSaidOfTheVolume() {
    assertThat(volume().refusal()).isNull();
    fence.lost = true;

    assertThat(volume().refusal())
        .isNotNull()
        .extracting(FallbackException::reason)
        .isEqualTo(FallbackReason.VOLUME_UNFENCED);
    assertThat(volume().fence()).isEqualTo(new FenceStatus(false, ""));
  }

  @Test
  void goesOnWhereTheDeviceSaysThatItIsStillThisHosts() {
    fence.lost = true;
    assertThat(fixture.renew("a", lease)).isZero();
    fence.lost = false;

    assertThat(fixture.renew("a", lease)).isEqualTo(GrantFixture.LEASE_MILLIS);
    fixture.lease("b", pinned);
  }

  /** A DataNode takes the volume over, and the host before it may still write. */
  @Test
  void noPinOfAnEarlierStartGoesWhileItsFenceIsUnderWay() {
    fence.begun = true;
    fixture.start(GrantFixture.CONFIG);
    pass(2 * (GrantFixture.LEASE_MILLIS + GrantFixture.IO_MILLIS));

    assertThat(fixture.links()).hasSize(2);
    assertThat(fixture.refusal("b", pinned)).isEqualTo(FallbackReason.VOLUME_UNFENCED);

    fence.begun = false;
    pass(TimeUnit.MINUTES.toMillis(10));
    assertThat(fixture.links()).as("its own full time from now on").hasSize(2);
    fixture.lease("b", pinned);
    pass(2 * (GrantFixture.LEASE_MILLIS + GrantFixture.IO_MILLIS));
    assertThat(fixture.links()).isEmpty();
  }

  private void pass(long millis) {
    fixture.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    fixture.service.sweep();
  }
}
