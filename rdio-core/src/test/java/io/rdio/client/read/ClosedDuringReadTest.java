// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.CloseRace;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.MemoryDevice;
import io.rdio.core.testing.TestBlock;
import org.junit.jupiter.api.Test;

/** A reader closed by another thread, thousands of times, on a device as fast as can be. */
final class ClosedDuringReadTest {
  private static final int ROUNDS = 2_000;

  @Test
  void bytesAreRightOrTheReaderIsClosed() throws Exception {
    new CloseRace(() -> new DeferredQueue(3)).run(source(1), source(2), ROUNDS);
  }

  private static CloseRace.Source source(long seed) {
    TestBlock block = new TestBlock(seed, 300_000, ChecksumSpec.Type.CRC32C, 512, 4096, 64 << 10);
    return new CloseRace.Source(block, new MemoryDevice(block.image, 512));
  }
}
