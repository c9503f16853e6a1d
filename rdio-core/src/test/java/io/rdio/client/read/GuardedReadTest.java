// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.filemap.BlockLocation;
import io.rdio.client.filemap.BlockLocator;
import io.rdio.client.filemap.FileMapCache;
import io.rdio.client.filemap.FileMapSettings;
import io.rdio.client.filemap.ReplicaLocation;
import io.rdio.client.plane.DataNodeId;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.testing.FakeGuard;
import io.rdio.core.testing.FakePlane;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A reader over the FileMap cache, with a metadata plane and guards that know no lease. */
final class GuardedReadTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final int LENGTH = 61 * 4096;

  private final TestBlock block =
      new TestBlock(1, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 40_000);
  private final ReadFixture fixture = new ReadFixture(block, 512);
  private final Deque<FakeGuard> guards = new ArrayDeque<>();
  private final FakePlane plane =
      new FakePlane(ask -> guards.isEmpty() ? null : block.map(guards.removeFirst()));
  private final FileMapCache cache =
      new FileMapCache(
          new FileMapSettings(1 << 20, 0, LONG, LONG, LONG),
          new OneReplica(),
          plane,
          new FileMapCache.Surroundings(fixture.clock, fixture.counters, map -> {}, Runnable::run));

  private ExtentReader reader() throws FallbackException {
    ReadContext context = fixture.pools.context(cache, fixture.devices, fixture.clock);
    return ExtentReader.open(context, block.request, true, LENGTH);
  }

  @AfterEach
  void close() {
    cache.close();
  }

  @Test
  void noByteOfARunIsHandedOutThatTheGuardDisowns() throws Exception {
    FakeGuard guard = FakeGuard.refusingAfter();
    guards.add(guard);
    byte[] target = new byte[LENGTH];
    ExtentReader reader = reader();

    FallbackException refused =
        catchThrowableOfType(FallbackException.class, () -> reader.read(0, target, 0, LENGTH));

    assertThat(refused.reason()).isEqualTo(FallbackReason.REPLICA_NOT_FOUND); // no other map
    assertThat(target).containsOnly(0);
    assertThat(fixture.counters.rdioBytes.sum()).isZero();
    assertThat(plane.discarded).singleElement().satisfies(map -> guardIs(map.guard(), guard));
  }

  private static void guardIs(Object actual, FakeGuard expected) {
    assertThat(actual).isSameAs(expected);
  }

  @Test
  void anotherMapMakesItGood() throws Exception {
    guards.addAll(List.of(FakeGuard.refusingAfter(), new FakeGuard()));
    byte[] target = new byte[LENGTH];

    reader().read(0, target, 0, LENGTH);

    assertThat(target).isEqualTo(block.bytes);
    assertThat(plane.discarded).hasSize(1);
  }

  @Test
  void guardIsAskedBeforeAndAfterEachRunAndMayLookAtTheDevice() throws Exception {
    FakeGuard guard = new FakeGuard();
    guards.add(guard);
    byte[] target = new byte[8192];

    reader().read(4096, target, 0, target.length);

    assertThat(target).isEqualTo(Arrays.copyOfRange(block.bytes, 4096, 4096 + 8192));
    assertThat(guard.asked).startsWith("before").endsWith("after");
    assertThat(guard.asked.stream().filter("before"::equals).count())
        .isEqualTo(guard.asked.stream().filter("after"::equals).count());
  }

  private final class OneReplica implements BlockLocator {
    @Override
    public List<BlockLocation> locate(BlockRequest request) {
      DataNodeId dataNode = new DataNodeId("127.0.0.1", 9866, 0);
      return List.of(
          new BlockLocation(
              new TokenedBlock(block.key, request.token()),
              List.of(new ReplicaLocation(dataNode, "DS-1"))));
    }

    @Override
    public @Nullable BlockLocation following(BlockKey from) {
      return null;
    }

    @Override
    public void forget(BlockKey from) {}
  }
}
