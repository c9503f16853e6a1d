// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import org.junit.jupiter.api.Test;

/** What the near-exclusive part makes of the counters. */
class StorageReadsTest {
  private static final StorageReads EARLIER = new StorageReads(100, 70, 30, 9, 1);

  @Test
  void whatIsNotPrefetchedTheReaderWaitedFor() {
    StorageReads reads = new StorageReads(1100, 1070, 930, 59, 11).since(EARLIER);

    assertThat(reads).isEqualTo(new StorageReads(1000, 1000, 900, 50, 10));
    assertThat(reads.demanded()).isEqualTo(100);
    assertThat(reads.hitRatio()).isCloseTo(0.9, offset(1e-9));
    assertThat(EARLIER.since(EARLIER).hitRatio()).isZero();
  }

  @Test
  void figuresAreForReadersAndForPrograms() {
    StorageReads reads = new StorageReads(4L << 20, 3L << 20, 2L << 20, 2048, 100);

    assertThat(reads.fields())
        .containsEntry("demanded_disk_bytes", 1L << 20)
        .containsEntry("prefetched_disk_bytes", 2L << 20)
        .containsEntry("descriptor_bytes", 100L);
    assertThat(reads.line("with").split(" +"))
        .containsExactly("with", "4.0", "1.0", "2.0", "100", "2.0", "0.750");
    assertThat(reads.line("with")).hasSameSizeAs(StorageReads.heading());
  }
}
