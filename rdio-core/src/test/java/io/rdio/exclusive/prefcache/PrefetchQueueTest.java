// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.exclusive.prefcache.PrefetchQueue.Run;
import org.junit.jupiter.api.Test;

class PrefetchQueueTest {
  private final PrefetchQueue queue = new PrefetchQueue(3, 16);

  @Test
  void neighboursBecomeOneRunUpToItsBound() {
    for (long first = 0; first < 40; first += 8) {
      assertThat(queue.offer(1, first, 8)).isTrue();
    }
    assertThat(queue.blocks()).isEqualTo(40);
    assertThat(queue.poll()).isEqualTo(new Run(1, 0, 16));
    assertThat(queue.poll()).isEqualTo(new Run(1, 16, 16));
    assertThat(queue.poll()).isEqualTo(new Run(1, 32, 8));
    assertThat(queue.poll()).isNull();
    assertThat(queue.blocks()).isZero();
  }

  @Test
  void otherDevicesAndGapsBeginAnotherRunAndBeyondTheBoundNoneIsTaken() {
    assertThat(queue.offer(1, 0, 4)).isTrue();
    assertThat(queue.offer(2, 4, 4)).isTrue();
    assertThat(queue.offer(2, 9, 4)).isTrue();
    assertThat(queue.offer(2, 20, 4)).isFalse();
    assertThat(queue.offer(2, 13, 3)).as("joined to the last one").isTrue();
    assertThat(queue.blocks()).isEqualTo(15);
    assertThat(queue.peek()).isEqualTo(new Run(1, 0, 4));
  }
}
