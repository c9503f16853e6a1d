// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Objects of different sizes against libCacheSim, which differs in what the paper leaves open (it
 * does not admit what is heavier than the small queue, and bounds ghost by weight), hence the
 * slack.
 */
class WeightedTraceTest {
  private static final Path SIZES = Traces.SHARED.resolve("tw52-1m.sizes32.gz");

  @ParameterizedTest
  @CsvSource({"292272, 0.308793", "2922721, 0.187887"})
  void missRatioIsNearThatOfLibCacheSim(long maximum, double expected) throws IOException {
    assumeTrue(Files.exists(SIZES), () -> Traces.reasonForSkipping("tw52-1m with its sizes"));
    long[] ids = Traces.ids("tw52-1m").orElseThrow();
    int[] sizes = sizes(ids.length);
    Map<Long, SizedEntry> resident = new HashMap<>();
    S3FifoPolicy<SizedEntry> policy =
        new S3FifoPolicy<>(
            maximum, true, S3FifoOptions.PAPER, entry -> resident.remove(entry.id) == entry);
    int misses = 0;
    for (int i = 0; i < ids.length; i++) {
      SizedEntry entry = resident.get(ids[i]);
      if (entry != null) {
        entry.hit();
      } else {
        misses++;
        entry = new SizedEntry(ids[i], sizes[i]);
        resident.put(ids[i], entry);
        policy.insert(entry);
        assertThat(policy.smallWeight() + policy.mainWeight() <= maximum).isTrue();
      }
    }
    assertThat((double) misses / ids.length).isCloseTo(expected, within(0.005));
  }

  private static int[] sizes(int count) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(SIZES))) {
      int[] sizes = new int[count];
      ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(sizes);
      return sizes;
    }
  }
}
