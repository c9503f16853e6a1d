// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
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
    assertUnserved(1, 512);
    assertUnserved(1, 1024);
    assertUnserved(2, 512);
    assertYoung(100);
    assertServed(1, 512);
    assertGrown(100);
    assertServed(3, 512);
  }

  @Test
  void whoseDataNodeDoesNotAnswerIsNotSentThere() {
    assertThatCode(() -> process.requireGrownOrUnserved(100, key(1), 512, () -> true))
        .doesNotThrowAnyException();
    assertGrown(100);
  }

  @Test
  void aGrownProcessAsksNoDataNode() {
    bytes.set(100);
    assertThatCode(
            () ->
                process.requireGrownOrUnserved(
                    100,
                    key(1),
                    512,
                    () -> {
                      throw new AssertionError("asked");
                    }))
        .doesNotThrowAnyException();
  }

  @Test
  void onlyTheLastRefusalsAreRemembered() {
    for (int i = 0; i <= 100; i++) {
      assertUnserved(i, 512);
    }
    assertUnserved(0, 512);
  }

  private void assertUnserved(long block, long length) {
    assertThatThrownBy(() -> process.requireGrownOrUnserved(100, key(block), length, () -> false))
        .hasMessageContaining("PROCESS_YOUNG");
  }

  private void assertServed(long block, long length) {
    assertThatCode(() -> process.requireGrownOrUnserved(100, key(block), length, () -> false))
        .doesNotThrowAnyException();
  }

  private static BlockKey key(long block) {
    return new BlockKey("BP-1", block, 1001);
  }

  @Test
  void isNeverYoungWhereDevicesAreOpenedAtOnce() {
    assertGrown(0);
  }
}
