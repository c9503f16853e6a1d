// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two hosts' views of one volume. */
@Tag("loop")
class LoopViewIT {
  private static final int BYTES = 1 << 20;

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void eachViewHasAPageCacheOfItsOwn(String fileSystem) throws Exception {
    Requirements.requireLoop(fileSystem);
    Path folder = Files.createTempDirectory("rdio-views-");
    byte[] content = new byte[BYTES];
    new SplittableRandom(1).nextBytes(content);
    String device;
    try (Teardown teardown = Teardown.of(folder)) {
      LoopVolume volume =
          LoopVolume.create(
              folder.resolve("volume"), fileSystem, 320L << 20, Backing.DISK, teardown);
      Files.write(volume.mountPoint().resolve("data"), content);
      volume.writeBack();
      volume.unmount();
      device = volume.device();
      LoopView one = LoopView.create(folder.resolve("one"), volume, teardown);
      LoopView other = LoopView.create(folder.resolve("other"), volume, teardown);

      assertThat(one.device()).isNotEqualTo(other.device()).isNotEqualTo(device);
      assertThat(Files.readAllBytes(one.mountPoint().resolve("data"))).isEqualTo(content);
      assertThat(cachedBytes(one)).isEqualTo(BYTES);
      assertThat(cachedBytes(other)).isZero();

      assertThat(Files.readAllBytes(other.mountPoint().resolve("data"))).isEqualTo(content);
      one.dropPageCache();
      assertThat(cachedBytes(one)).isZero();
      assertThat(cachedBytes(other)).isEqualTo(BYTES);
    }
    assertThat(folder).doesNotExist();
    assertThat(Files.readString(Path.of("/proc/mounts"))).doesNotContain(folder.toString());
    assertThat(Command.run("losetup", "-nO", "BACK-FILE"))
        .doesNotContain(folder.toString())
        .doesNotContainPattern("(?m)^" + device + "( |$)");
  }

  private static long cachedBytes(LoopView view) throws Exception {
    Path data = view.mountPoint().resolve("data");
    return Long.parseLong(Command.run("fincore", "-nbo", "RES", data.toString()).strip());
  }
}
