// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A volume that was refused, or taken out, and is there again while the plugin lives on. */
final class VolumeReturnsTest {
  @TempDir Path root;
  private GrantFixture fixture;
  private final AtomicInteger looks = new AtomicInteger();

  @BeforeEach
  void start() {
    fixture = new GrantFixture(root);
  }

  private void refuse() {
    fixture.identifier =
        volume -> {
          looks.incrementAndGet();
          throw new FallbackException(FallbackReason.DEVICE_UNSUPPORTED, "no device node");
        };
  }

  @Test
  void refusedVolumeIsTakenUpWithoutARestart() {
    refuse();
    fixture.start(GrantFixture.CONFIG);
    BlockKey block = fixture.hdfs.write(1, 100);
    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.DEVICE_UNSUPPORTED);

    fixture.identifier = volume -> GrantFixture.DEVICE;
    fixture.pass(4_999);
    fixture.service.sweep();
    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.DEVICE_UNSUPPORTED);

    fixture.pass(1);
    fixture.service.sweep();
    assertThat(fixture.lease("a", block)).isNotZero();
  }

  @Test
  void refusedVolumeIsLookedAtLessAndLessOften() {
    refuse();
    fixture.start(GrantFixture.CONFIG);

    for (int second = 0; second < 3_600; second++) {
      fixture.pass(1_000);
      fixture.service.sweep();
    }

    // After 0, 5, 15, 35, 75, 155, 315 s, then every five minutes.
    assertThat(looks.get()).isEqualTo(7 + (3_600 - 315) / 300);
  }

  @Test
  void leftoversOfARefusedVolumeGoAtTheirTime() {
    fixture.lease("a", fixture.hdfs.write(1, 100));
    refuse();
    fixture.start(GrantFixture.CONFIG);

    for (int second = 0; second < 90; second++) {
      assertThat(fixture.links()).hasSize(2);
      fixture.pass(1_000);
      fixture.service.sweep();
    }

    assertThat(looks.get()).isGreaterThan(3);
    assertThat(fixture.links()).isEmpty();
  }

  @Test
  void leftoversThatShowUpWithALaterLookAreKeptForTheirTime() throws Exception {
    refuse();
    fixture.start(GrantFixture.CONFIG);
    Path pins = Files.createDirectories(root.resolve("rdio/pins/90000"));
    Path link = Files.createFile(pins.resolve("of-what-is-mounted-now.data"));

    fixture.pass(5_000);
    fixture.service.sweep();
    fixture.pass(89_999);
    fixture.service.sweep();
    assertThat(link).exists();

    fixture.pass(1);
    fixture.service.sweep();
    assertThat(link).doesNotExist();
  }

  @Test
  void witnessOfAVolumeThatWasTakenOutIsNotRepeated() {
    BlockKey block = fixture.hdfs.write(1, 100);
    long before = nonce(fixture.grant("a", block));
    fixture.hdfs.unmount();
    fixture.service.sweep();
    fixture.pass(GrantFixture.LEASE_MILLIS + GrantFixture.IO_MILLIS + 1);
    fixture.service.sweep();
    fixture.hdfs.mount();
    fixture.service.sweep();

    assertThat(nonce(fixture.grant("a", fixture.hdfs.write(1, 100)))).isNotEqualTo(before);
  }

  private static long nonce(GrantResult result) {
    return ((GrantResult.Granted) result).map().witness().nonce();
  }
}
