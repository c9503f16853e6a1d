// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who asks for a block by a name that is not its file's harms nobody else. */
class WrongNameTest {
  private static final BlockRequest WRONG =
      new BlockRequest(
          new TokenedBlock(FileMapCacheFixture.key(1)), FileMapCacheFixture.Locations.WRONG_NAME);

  private final FileMapCacheFixture fixture = new FileMapCacheFixture();
  private final List<Runnable> loads = new ArrayList<>();

  @BeforeEach
  void start() {
    fixture.file(List.of(1L, 2L), "a");
    fixture.background = loads::add;
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private FallbackReason refusal() {
    FallbackException refused =
        catchThrowableOfType(FallbackException.class, () -> fixture.cache.get(WRONG));
    assertThat(refused).isNotNull();
    return refused.reason();
  }

  @Test
  void whoWaitsMeanwhileAsksByItsOwnName() throws Exception {
    CountDownLatch isAsked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    fixture.locations.asked =
        request -> {
          if (request.equals(WRONG)) {
            isAsked.countDown();
            awaitQuietly(answer);
          }
        };
    FutureTask<FallbackReason> wrong = new FutureTask<>(this::refusal);
    new Thread(wrong, "asks by a wrong name").start();
    assertThat(isAsked.await(60, TimeUnit.SECONDS)).isTrue();
    FutureTask<FileMap> right = new FutureTask<>(() -> fixture.get(1));
    Thread waiting = new Thread(right, "asks by the right name");
    waiting.start();
    await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

    answer.countDown();
    assertThat(wrong.get(60, TimeUnit.SECONDS)).isEqualTo(FallbackReason.LOCATION_UNKNOWN);
    assertThat(right.get(60, TimeUnit.SECONDS).block()).isEqualTo(FileMapCacheFixture.key(1));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void mapsAreStillLoadedBehindOtherReaders() {
    assertThat(refusal()).isEqualTo(FallbackReason.LOCATION_UNKNOWN);
    assertThat(fixture.cache.begin(FileMapCacheFixture.request(2)).isDone()).isFalse();
    assertThat(loads).hasSize(1);
    loads.forEach(Runnable::run);
  }
}
