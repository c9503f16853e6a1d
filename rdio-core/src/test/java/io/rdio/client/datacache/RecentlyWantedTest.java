// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.BlockKey;
import org.junit.jupiter.api.Test;

/** What is remembered, how long, and that neighbours are told apart. */
class RecentlyWantedTest {
  private static final int CHUNKS = 1024;

  private final RecentlyWanted wanted = new RecentlyWanted(CHUNKS);
  private final ChunkKey key = new ChunkKey();

  /** Adds so many chunks of neighbouring blocks; how many were remembered. */
  private int add(int firstBlock, int blocks, int chunks) {
    int remembered = 0;
    for (int block = firstBlock; block < firstBlock + blocks; block++) {
      BlockKey of = new BlockKey("BP-1-127.0.0.1-1", 1073741825L + block, 1001 + block);
      for (int chunk = 0; chunk < chunks; chunk++) {
        remembered += wanted.add(key.at(of, chunk)) ? 1 : 0;
      }
    }
    return remembered;
  }

  @Test
  void chunksOfNeighbouringBlocksAreDistinct() {
    assertThat(add(0, 16, 32)).isZero();
    assertThat(add(0, 16, 32)).isGreaterThan(450);
  }

  @Test
  void aFewAreAllRemembered() {
    for (int i = 0; i < 200; i++) {
      add(i, 3, 1);
      assertThat(add(i, 3, 1)).isEqualTo(3);
    }
  }

  @Test
  void oldOnesAreForgotten() {
    add(0, 16, 16);
    add(100, 4 * CHUNKS / 16, 16);
    assertThat(add(0, 16, 16)).isLessThan(50);
  }
}
