// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.maps;

import io.rdio.bench.workload.Zipf;
import io.rdio.core.block.BlockKey;
import java.util.Arrays;
import java.util.SplittableRandom;

/** How often which block is wanted. */
enum Keys {
  UNIFORM("uniform") {
    @Override
    int[] draw(int blocks, int count, SplittableRandom random) {
      int[] drawn = new int[count];
      Arrays.setAll(drawn, i -> random.nextInt(blocks));
      return drawn;
    }
  },
  /** With exponent 0.99; the most wanted blocks are anywhere among the others. */
  ZIPF("Zipf") {
    @Override
    int[] draw(int blocks, int count, SplittableRandom random) {
      Zipf zipf = new Zipf(blocks, EXPONENT);
      int[] drawn = new int[count];
      Arrays.setAll(drawn, i -> (int) (zipf.rank(random) * PRIME % blocks));
      return drawn;
    }
  };

  private static final double EXPONENT = 0.99;
  private static final long PRIME = 2_147_483_647;
  private static final int DRAWN = 1 << 20;
  private static final long SEED = 42;

  final String label;

  Keys(String label) {
    this.label = label;
  }

  abstract int[] draw(int blocks, int count, SplittableRandom random);

  /** A million keys in the order in which they are wanted; the same each time. */
  BlockKey[] draw(int blocks) {
    int[] drawn = draw(blocks, DRAWN, new SplittableRandom(SEED));
    BlockKey[] keys = new BlockKey[DRAWN];
    Arrays.setAll(keys, i -> FilledMaps.key(drawn[i]));
    return keys;
  }
}
