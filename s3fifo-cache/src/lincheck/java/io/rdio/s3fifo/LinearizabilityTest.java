// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Lincheck: as long as nothing is evicted, every outcome of concurrent operations must be one that
 * some order of them, one after the other, gives too.
 *
 * <p>Loads are not among them: a load that a removal overtakes answers its value but does not cache
 * it, lest the cache hold what the removal was meant to end, and no order of the two gives that.
 * {@link LoadTest} has them.
 */
@Param(name = "key", gen = IntGen.class, conf = "1:2")
@Param(name = "value", gen = IntGen.class, conf = "1:4")
@Tag("lincheck")
public class LinearizabilityTest {
  private final Cache<Integer, Integer> cache =
      S3Fifo.newBuilder()
          .maximumWeight(1000)
          .weigher((Integer key, Integer value) -> value)
          .build();

  @Operation
  public Integer getIfPresent(@Param(name = "key") int key) {
    return cache.getIfPresent(key);
  }

  @Operation
  public Integer put(@Param(name = "key") int key, @Param(name = "value") int value) {
    return cache.asMap().put(key, value);
  }

  @Operation
  public Integer putIfAbsent(@Param(name = "key") int key, @Param(name = "value") int value) {
    return cache.asMap().putIfAbsent(key, value);
  }

  @Operation
  public Integer remove(@Param(name = "key") int key) {
    return cache.asMap().remove(key);
  }

  @Operation
  public boolean removeValue(@Param(name = "key") int key, @Param(name = "value") int value) {
    return cache.asMap().remove(key, value);
  }

  @Operation
  public boolean replace(
      @Param(name = "key") int key,
      @Param(name = "value") int old,
      @Param(name = "value") int value) {
    return cache.asMap().replace(key, old, value);
  }

  @Test
  void everyOutcomeIsThatOfSomeOrder() {
    new StressOptions()
        .iterations(25)
        .invocationsPerIteration(1500)
        .threads(3)
        .actorsPerThread(3)
        .check(LinearizabilityTest.class);
  }
}
