// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.filemap.FileMapSource.Load;
import io.rdio.core.FallbackReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Loads whose readers do something else meanwhile. */
final class BackgroundLoadTest {
  private final FileMapCacheFixture fixture = new FileMapCacheFixture();
  private final List<Runnable> loads = new ArrayList<>();

  @BeforeEach
  void start() {
    fixture.background = loads::add;
    fixture.file(List.of(1L, 2L, 3L), "a");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void isDoneWhenTheMapIsInMemory() throws Exception {
    Load load = begin(1);
    assertThat(load.isDone()).isFalse();
    runLoads();
    assertThat(load.isDone()).isTrue();
    fixture.get(1);
    assertThat(begin(1).isDone()).isTrue();
    assertThat(fixture.dataNode("a").grants).hasSize(1);
    assertThat(loads).isEmpty();
  }

  @Test
  void isSharedByAllReadersOfABlock() {
    Load first = begin(1);
    Load second = begin(1);
    assertThat(second.isDone()).isFalse();
    assertThat(loads).hasSize(1);
    runLoads();
    assertThat(first.isDone()).isTrue();
    assertThat(second.isDone()).isTrue();
  }

  @Test
  void isLeftToTheReaderWhileLoadsAreRefused() throws Exception {
    fixture.dataNode("a").refuse(1, FallbackReason.PIN_LIMIT);
    Load refused = begin(1);
    runLoads();
    assertThat(refused.isDone()).isTrue();
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.PIN_LIMIT);

    assertThat(begin(2).isDone()).isTrue();
    assertThat(loads).isEmpty();
    fixture.get(2); // is granted, so the next one may be behind its reader's back again
    assertThat(begin(3).isDone()).isFalse();
  }

  @Test
  void isLeftToTheReaderWhereNoThreadIsFree() throws Exception {
    fixture.background =
        load -> {
          throw new RejectedExecutionException();
        };
    assertThat(begin(1).isDone()).isTrue();
    assertThat(fixture.get(1).block()).isEqualTo(FileMapCacheFixture.key(1));
  }

  @Test
  void isLeftToTheReaderWhereNothingCanBegin() throws Exception {
    for (Throwable accident :
        List.of(new IllegalStateException("no user"), new OutOfMemoryError("no thread"))) {
      fixture.background =
          load -> {
            throwUnchecked(accident);
          };
      assertThat(begin(2).isDone()).isTrue();
    }
    // Nobody waits for a load that never began.
    assertThat(fixture.get(2).block()).isEqualTo(FileMapCacheFixture.key(2));
  }

  private static void throwUnchecked(Throwable accident) {
    if (accident instanceof RuntimeException exception) {
      throw exception;
    }
    throw (Error) accident;
  }

  private Load begin(long id) {
    return fixture.cache.begin(FileMapCacheFixture.request(id));
  }

  private void runLoads() {
    loads.forEach(Runnable::run);
    loads.clear();
  }
}
