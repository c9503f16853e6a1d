// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.CloseRace;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.TestBlock;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same on loop devices, through librdio and O_DIRECT. */
@Tag("loop")
final class ClosedDuringReadIT {
  private static final int ROUNDS = 2_000;

  @TempDir Path directory;

  @Test
  void bytesAreRightOrTheReaderIsClosed() throws Exception {
    Requirements.requireLoop("ext4");
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    TestBlock one = block(1);
    TestBlock two = block(2);
    try (LoopDevice first = LoopDevice.attach(image(one, "one"));
        LoopDevice second = LoopDevice.attach(image(two, "two"))) {
      DirectBlockDevice firstDevice = DirectBlockDevice.open(first.node(), 512);
      DirectBlockDevice secondDevice = DirectBlockDevice.open(second.node(), 512);
      new CloseRace(RingQueue::open)
          .run(
              new CloseRace.Source(one, firstDevice),
              new CloseRace.Source(two, secondDevice),
              ROUNDS);
      firstDevice.discard();
      secondDevice.discard();
    }
  }

  private static TestBlock block(long seed) {
    return new TestBlock(seed, 300_000, ChecksumSpec.Type.CRC32C, 512, 4096, 64 << 10);
  }

  private Path image(TestBlock block, String name) throws IOException {
    return Files.write(directory.resolve(name), block.image);
  }
}
