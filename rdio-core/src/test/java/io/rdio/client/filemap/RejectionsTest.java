// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.testing.ManualClock;
import java.time.Duration;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients whom a DataNode refuses at the same moment, for want of room, say. */
final class RejectionsTest {
  private static final BlockKey BLOCK = new BlockKey("BP-1", 1, 1001);
  private static final Duration STEP = Duration.ofMillis(100);

  private final ManualClock clock = new ManualClock();

  private Rejections client(double random) {
    Duration any = Duration.ofSeconds(30);
    return new Rejections(new FileMapSettings(1 << 20, 0, any, any, any), clock, () -> random);
  }

  private static boolean asks(Rejections client) {
    try {
      client.check(BLOCK);
      return true;
    } catch (FallbackException e) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"PIN_LIMIT", "LEASE_LIMIT", "PIN_FAILED", "REPLICA_NOT_FOUND"})
  void theyComeBackOneAfterTheOther(FallbackReason reason) {
    Random random = new Random(1);
    TreeSet<Duration> comesAfter = new TreeSet<>();
    for (int i = 0; i < 100; i++) {
      Rejections client = client(random.nextDouble());
      client.refusal(BLOCK, new FallbackException(reason, "test"));
      Duration passed = Duration.ZERO;
      while (!asks(client)) {
        clock.advance(STEP);
        passed = passed.plus(STEP);
      }
      comesAfter.add(passed);
    }

    assertThat(comesAfter).hasSizeGreaterThan(5);
    assertThat(comesAfter.first()).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
    assertThat(comesAfter.last()).isLessThanOrEqualTo(Rejections.REFUSAL_MEMORY);
  }

  @Test
  void refusalThatIsSoonOverIsNotRemembered() {
    Rejections client = client(0);
    client.refusal(BLOCK, new FallbackException(FallbackReason.DATANODE_BUSY, "test"));
    assertThatCode(() -> client.check(BLOCK)).doesNotThrowAnyException();
    client.refusal(BLOCK, new FallbackException(FallbackReason.LEASE_LIMIT, "test"));
    assertThatThrownBy(() -> client.check(BLOCK)).isInstanceOf(FallbackException.class);
  }
}
