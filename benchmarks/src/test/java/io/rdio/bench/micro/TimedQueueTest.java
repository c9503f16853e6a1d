// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimedQueueTest {
  private static final int PREPARING = 1;
  private static final int SUBMITTING = 20;
  private static final int AWAITING = 300;
  private static final int DISCARDING = 4000;

  private long now;
  private final List<String> calls = new ArrayList<>();
  private final QueueTimes times = new QueueTimes(() -> now);

  /** Each call takes its time by the clock of the test. */
  private final class Slow implements ReadQueue {
    @Override
    public int prepare(BlockDevice device, long offset, ByteBuffer target, int at, int length) {
      now += PREPARING;
      return 7;
    }

    @Override
    public int prepareAwaited(
        BlockDevice device, long offset, ByteBuffer target, int at, int length) {
      now += PREPARING;
      return 8;
    }

    @Override
    public void submit() {
      calls.add("submit");
      now += SUBMITTING;
    }

    @Override
    public int await(int ticket) throws FallbackException {
      calls.add("await");
      now += AWAITING;
      if (ticket < 0) {
        throw new FallbackException(FallbackReason.DEVICE_TIMEOUT, "in vain");
      }
      return 4096;
    }

    @Override
    public long waitedNanos() {
      return AWAITING;
    }

    @Override
    public boolean discard(int ticket) {
      now += DISCARDING;
      return true;
    }

    @Override
    public boolean poll() {
      return true;
    }

    @Override
    public boolean givesUp() {
      return true;
    }

    @Override
    public boolean keep(ByteBuffer memory) {
      return true;
    }

    @Override
    public void close() {
      calls.add("close");
    }
  }

  private final ReadQueue queue = new TimedQueue(new Slow(), times);

  @Test
  void whatIsPreparedIsBegunBeforeTheWaitSoThatTheTwoAreApart() throws FallbackException {
    ByteBuffer target = ByteBuffer.allocateDirect(0);
    assertThat(queue.prepare(null, 0, target, 0, 0)).isEqualTo(7);
    assertThat(queue.prepareAwaited(null, 0, target, 0, 0)).isEqualTo(8);
    assertThat(queue.await(7)).isEqualTo(4096);
    assertThat(calls).containsExactly("submit", "await");
    assertThat(times.submittingNanos()).isEqualTo(2 * PREPARING + SUBMITTING);
    assertThat(times.waitingNanos()).isEqualTo(AWAITING);
  }

  @Test
  void waitingInVainIsWaiting() {
    assertThatThrownBy(() -> queue.await(-1)).isInstanceOf(FallbackException.class);
    assertThat(queue.discard(7)).isTrue();
    assertThat(times.waitingNanos()).isEqualTo(AWAITING + DISCARDING);
    assertThat(times.submittingNanos()).isEqualTo(SUBMITTING);
  }

  @Test
  void theRestIsTheQueues() {
    assertThat(queue.givesUp()).isTrue();
    assertThat(queue.keep(ByteBuffer.allocateDirect(0))).isTrue();
    assertThat(queue.poll()).isTrue();
    assertThat(queue.waitedNanos()).isEqualTo(AWAITING);
    queue.close();
    assertThat(calls).containsExactly("close");
    assertThat(times.waitingNanos() + times.submittingNanos()).isZero();
  }
}
