// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.DeviceIdentity;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A volume whose device gets larger while the plugin lives on. */
final class VolumeGrowsTest {
  private static final DeviceIdentity GROWN =
      new DeviceIdentity(
          "ext4",
          GrantFixture.DEVICE.fsUuid(),
          2 * GrantFixture.DEVICE.sizeBytes(),
          "",
          0,
          "/dev/test");

  @TempDir Path root;
  private GrantFixture fixture;
  private BlockKey pinned;

  @BeforeEach
  void start() {
    fixture = new GrantFixture(root);
    pinned = fixture.hdfs.write(1, 100);
    assertThat(device(pinned)).isEqualTo(GrantFixture.DEVICE);
  }

  private DeviceIdentity device(BlockKey block) {
    return ((GrantResult.Granted) fixture.grant("b", block)).map().device();
  }

  private void lookAgain() {
    fixture.pass(4_999);
    fixture.service.sweep();
    assertThat(device(pinned)).as("not due yet").isEqualTo(GrantFixture.DEVICE);
    fixture.pass(1);
    fixture.service.sweep();
  }

  @Test
  void whatIsGrantedIsOnTheLargerDevice() {
    long witness = ((GrantResult.Granted) fixture.grant("a", pinned)).map().witness().nonce();
    fixture.identifier = volume -> GROWN;
    lookAgain();

    assertThat(device(pinned)).as("also what was pinned before").isEqualTo(GROWN);
    assertThat(device(fixture.hdfs.write(2, 100))).isEqualTo(GROWN);
    assertThat(((GrantResult.Granted) fixture.grant("a", pinned)).map().witness().nonce())
        .as("it is the same volume")
        .isEqualTo(witness);
  }

  /** What lies below the folder is another file system once the volume is unmounted. */
  @Test
  void anotherDeviceIsNotTakenForIt() {
    fixture.identifier =
        volume -> new DeviceIdentity("ext4", new UUID(3, 4), 1L << 41, "", 0, "/dev/other");
    lookAgain();

    assertThat(device(pinned)).isEqualTo(GrantFixture.DEVICE);
  }

  @Test
  void smallerDeviceIsNotTakenForIt() {
    fixture.identifier =
        volume ->
            new DeviceIdentity("ext4", GrantFixture.DEVICE.fsUuid(), 1L << 39, "", 0, "/dev/test");
    lookAgain();

    assertThat(device(pinned)).isEqualTo(GrantFixture.DEVICE);
  }

  @Test
  void lookThatFailsChangesNothing() {
    fixture.identifier =
        volume -> {
          throw new FallbackException(FallbackReason.DEVICE_UNSUPPORTED, "no device node");
        };
    lookAgain();

    assertThat(device(fixture.hdfs.write(2, 100))).isEqualTo(GrantFixture.DEVICE);
  }
}
