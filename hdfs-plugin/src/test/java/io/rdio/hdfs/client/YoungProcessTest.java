// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class YoungProcessTest {
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // wraps round
  private final YoungProcess process = new YoungProcess(bytes::get, nanos::get);

  private void assertYoung(long after) {
    assertThatThrownBy(() -> process.requireGrown(after))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.PROCESS_YOUNG))
        .hasMessageContaining(bytes + " bytes were read so far, " + after + " are enough");
  }

  private void assertGrown(long after) {
    assertThatCode(() -> process.requireGrown(after)).doesNotThrowAnyException();
  }

  @Test
  void growsByWhatItReads() {
    assertYoung(100);
    bytes.set(99);
    assertYoung(100);
    bytes.set(100);
    assertGrown(100);
    assertYoung(101); // of another configuration
  }

  @Test
  void growsOld() {
    nanos.addAndGet(YoungProcess.OLD_NANOS - 1);
    assertYoung(100);
    nanos.incrementAndGet();
    assertGrown(100);
  }

  @Test
  void whoComesAgainForTheSameWasNotServed() {
    assertUnserved("blk_1");
    assertUnserved("blk_2");
    assertYoung(100);
    assertThatCode(() -> process.requireGrownOrUnserved(100, "blk_1")).doesNotThrowAnyException();
    assertGrown(100);
    assertThatCode(() -> process.requireGrownOrUnserved(100, "blk_3")).doesNotThrowAnyException();
  }

  @Test
  void onlyTheLastRefusalsAreRemembered() {
    for (int i = 0; i <= 100; i++) {
      assertUnserved("blk_" + i);
    }
    assertUnserved("blk_0");
  }

  private void assertUnserved(String read) {
    assertThatThrownBy(() -> process.requireGrownOrUnserved(100, read))
        .hasMessageContaining("PROCESS_YOUNG");
  }

  @Test
  void isNeverYoungWhereDevicesAreOpenedAtOnce() {
    assertGrown(0);
  }
}
