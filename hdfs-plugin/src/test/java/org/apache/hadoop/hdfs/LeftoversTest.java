// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InterruptedIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class LeftoversTest {
  private int looks;
  private int ticks;
  private long now = Long.MAX_VALUE - 7; // the clock may wrap

  private Leftovers goneAfter(int there, long nanosOfALook) {
    return new Leftovers(
        () -> {
          now += nanosOfALook;
          return looks++ < there;
        },
        () -> now,
        () -> ticks++);
  }

  @Test
  void whatIsNotThereIsNotWaitedFor() throws Exception {
    goneAfter(0, 1).await();
    assertThat(looks).isEqualTo(1);
    assertThat(ticks).isZero();
  }

  @Test
  void itIsLookedAtUntilItIsGone() throws Exception {
    goneAfter(3, 1).await();
    assertThat(looks).isEqualTo(4);
    assertThat(ticks).isEqualTo(3);
  }

  @Test
  void itIsNotWaitedForForEver() throws Exception {
    goneAfter(Integer.MAX_VALUE, Leftovers.PATIENCE_NANOS / 2).await();
    assertThat(looks).isEqualTo(2);
  }

  @Test
  void interruptEndsTheWait() {
    for (int there = 0; there < 2; there++) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(goneAfter(there, 1)::await).isInstanceOf(InterruptedIOException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
