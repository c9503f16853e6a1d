// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.daemon.BlockRights;
import io.rdio.agent.ipc.AgentBlock;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.BlockName;
import io.rdio.agent.ipc.RawLane;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.FakeGuard;
import io.rdio.core.testing.TestBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The block data cache of an agent: what one process had read, another one need not. */
class SharedDataCacheTest {
  private static final int LENGTH = (1 << 20) + 77;
  private static final int CHUNK = 64 << 10;
  private static final int CHUNKS = LENGTH / CHUNK + 1;
  private static final byte[] TOKEN = "mine".getBytes(StandardCharsets.US_ASCII);

  private @TempDir Path directory;
  private AgentFixture agent;
  private AgentClient other;

  private void start(TestBlock block) throws IOException {
    start(block, request -> Long.MAX_VALUE);
  }

  private void start(TestBlock block, BlockRights rights) throws IOException {
    agent = new AgentFixture(block, directory, AgentFixture.LIMITS, rights, 4L * LENGTH, CHUNK);
    other = agent.anotherProcess();
  }

  @AfterEach
  void close() {
    other.close();
    agent.close();
    agent.cache().close();
  }

  private static TestBlock usual() {
    return new TestBlock(7, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  }

  /** As HDFS does it: a reader for each, which sees the block up to the end of its range. */
  private static byte[] positional(AgentClient client, BlockName name, int from, int count)
      throws FallbackException {
    byte[] got = new byte[count];
    try (AgentBlock reader = client.open(name, (long) from + count, false)) {
      reader.read(from, got, 0, count);
    }
    return got;
  }

  private void check(AgentClient client, int from, int count) throws FallbackException {
    assertThat(positional(client, agent.name(), from, count))
        .isEqualTo(agent.block.range(from, count));
  }

  private byte[] stream(AgentClient client) throws FallbackException {
    byte[] got = new byte[LENGTH];
    try (AgentBlock reader = client.open(agent.name(), LENGTH, true)) {
      for (int at = 0; at < LENGTH; at += 10_000) {
        reader.read(at, got, at, Math.min(10_000, LENGTH - at));
      }
    }
    return got;
  }

  /** Has all of the block cached, for the first process. */
  private void fill() throws FallbackException {
    fill(agent.name());
  }

  private void fill(BlockName name) throws FallbackException {
    for (int i = 0; i < 2 * CHUNKS; i++) {
      positional(agent.client, name, i / 2 * CHUNK, 50);
    }
    assertThat(agent.cache().cachedBytes()).isEqualTo((long) CHUNKS * CHUNK);
  }

  private long figure(String name) {
    return agent.server().figures().get(name);
  }

  @ParameterizedTest
  @CsvSource({
    "CRC32C, 512, 4096",
    "CRC32, 512, 4096",
    "CRC32C, 512, 1024",
    "CRC32C, 65536, 4096",
    "CRC32C, 131072, 4096",
    "CRC32C, 100, 4096"
  })
  void secondProcessReadsWithoutTheDevice(ChecksumSpec.Type type, int chunk, int grain)
      throws Exception {
    start(new TestBlock(11, LENGTH, type, chunk, grain, 200_000));
    fill();
    int reads = agent.reads.device.reads();
    Random random = new Random(5);
    for (int i = 0; i < 60; i++) {
      int from = random.nextInt(LENGTH);
      int most = LENGTH - from;
      check(other, from, 1 + random.nextInt(i % 3 == 0 ? most : Math.min(most, 9000)));
    }
    assertThat(stream(other)).isEqualTo(agent.block.bytes);
    assertThat(agent.reads.device.reads()).isEqualTo(reads);
    assertThat(agent.server().counters().sessions.sum()).isEqualTo(2);
    assertThat(figure("data_cache_hit_bytes_total")).isGreaterThan(LENGTH);
    assertThat(figure("data_cache_bytes")).isEqualTo((long) CHUNKS * CHUNK);
    assertThat(figure("mismatches_total")).isZero();
  }

  @Test
  void whatNoCrcProvesIsNotCached() throws Exception {
    start(new TestBlock(11, LENGTH, ChecksumSpec.Type.NULL, 512, 4096, 200_000));
    for (int i = 0; i < 3; i++) {
      check(agent.client, 1000, 5000);
    }
    assertThat(agent.cache().cachedBytes()).isZero();
  }

  @Test
  void scanFillsNothing() throws Exception {
    start(usual());
    for (int i = 0; i < 3; i++) {
      assertThat(stream(agent.client)).isEqualTo(agent.block.bytes);
    }
    assertThat(agent.cache().cachedBytes()).isZero();
  }

  @Test
  void readThatIsCachedInPartIsRight() throws Exception {
    start(usual());
    check(agent.client, CHUNK, 50);
    check(agent.client, CHUNK, 50);
    check(other, 10, 3 * CHUNK); // not admitted, for its first chunk is wanted for the first time
    check(other, CHUNK - 5000, 20_000);
    check(agent.client, 0, LENGTH);
    check(other, 0, LENGTH);
  }

  private static long rightOfTheToken(byte[] token) throws FallbackException {
    if (token.length != TOKEN.length) {
      throw new FallbackException(FallbackReason.TOKEN_REFUSED, "not this one");
    }
    return Long.MAX_VALUE;
  }

  @Test
  void processWithoutTheRightGetsNothing() throws Exception {
    start(usual(), request -> rightOfTheToken(request.token()));
    fill(agent.name(TOKEN));
    long hits = figure("data_cache_hits_total");
    for (BlockName name : new BlockName[] {agent.name(), agent.name(new byte[] {1, 2, 3})}) {
      assertRefused(FallbackReason.TOKEN_REFUSED, () -> positional(other, name, 0, 100));
    }
    assertThat(figure("data_cache_hits_total")).isEqualTo(hits);
    assertThat(positional(other, agent.name(TOKEN), 0, 100)).isEqualTo(agent.block.range(0, 100));
  }

  /** Handles are a process's own: nobody reads by what another one has opened. */
  @Test
  void handleOfAnotherProcessOpensNothing() throws Exception {
    start(usual(), request -> rightOfTheToken(request.token()));
    fill(agent.name(TOKEN));
    try (RawLane mine = RawLane.connect(agent.socket);
        RawLane thief = RawLane.connect(agent.socket)) {
      mine.hello();
      mine.share(1 << 20);
      thief.hello();
      ByteBuffer stolen = thief.shareMapped(1 << 20);
      int handle = mine.open(agent.name(TOKEN));
      assertThat(thief.readAgainAndAgain(handle, 0, CHUNK, 4096, 512 << 10))
          .contains("LEASE_EXPIRED");
      for (int at = 4096; at < stolen.capacity(); at++) {
        assertThat(stolen.get(at)).isZero();
      }
    }
  }

  @Test
  void rightThatHasRunOutOpensNothing() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    start(
        usual(),
        request -> {
          if (ended.get()) {
            throw new FallbackException(FallbackReason.TOKEN_REFUSED, "expired");
          }
          return request.token().length == 0 ? Long.MAX_VALUE : System.currentTimeMillis() - 1;
        });
    fill();
    long hits = figure("data_cache_hits_total");
    try (AgentBlock reader = other.open(agent.name(TOKEN), 100, false)) {
      ended.set(true);
      assertRefused(FallbackReason.TOKEN_REFUSED, () -> reader.read(0, new byte[100], 0, 100));
    }
    assertThat(figure("data_cache_hits_total")).isEqualTo(hits);
  }

  @Test
  void nothingIsServedWithoutALease() throws Exception {
    start(usual());
    fill();
    agent.reads.clock.advance(TestBlock.LEASE);
    assertRefused(FallbackReason.METADATA_PLANE_UNREACHABLE, () -> check(agent.client, 0, 100));
    agent.reads.maps.then(agent.block.map(agent.reads.clock));
    long device = agent.reads.counters.deviceBytes.sum();
    assertThat(stream(other)).isEqualTo(agent.block.bytes);
    assertThat(agent.reads.counters.deviceBytes.sum() - device)
        .as("the CRCs, which went with the map")
        .isBetween(1L, LENGTH / 20L);
    int reads = agent.reads.device.reads();
    assertThat(stream(agent.client)).isEqualTo(agent.block.bytes);
    assertThat(agent.reads.device.reads()).isEqualTo(reads);
  }

  @Test
  void guardThatSaysNoAfterTheCopyGivesNoBytes() throws Exception {
    start(usual());
    fill();
    agent.reads.clock.advance(TestBlock.LEASE);
    FakeGuard guard = FakeGuard.refusingAfter();
    agent.reads.maps.then(agent.block.map(guard));
    long hits = figure("data_cache_hits_total");
    byte[] got = new byte[CHUNK];
    try (AgentBlock reader = other.open(agent.name(), LENGTH, false)) {
      assertThatThrownBy(() -> reader.read(0, got, 0, CHUNK)).isInstanceOf(FallbackException.class);
    }
    assertThat(figure("data_cache_hits_total")).as("it was copied").isGreaterThan(hits);
    assertThat(guard.asked).contains("before").endsWith("after");
    assertThat(got).containsOnly(0);
    assertThat(figure("reads_total")).isEqualTo(2L * CHUNKS);
  }

  @Test
  void newGenerationStampNeverGetsOldBytes() throws Exception {
    start(usual());
    FileMap old = agent.reads.maps.get(agent.block.request);
    fill();
    TestBlock newer = new TestBlock(8, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
    Lease.of(old).end();
    FileMap now = inPlaceOfOld(newer);
    agent.reads.maps.then(now);
    BlockName name = newName();
    for (int i = 0; i < 3; i++) {
      assertThat(positional(other, name, 0, LENGTH)).isEqualTo(newer.bytes);
      assertThat(positional(agent.client, name, 5000, 100)).isEqualTo(newer.range(5000, 100));
    }
    byte[] kept = new byte[LENGTH];
    assertThat(agent.cache().read(now, 0, kept, 0, LENGTH)).isEqualTo(LENGTH);
    assertThat(kept).isEqualTo(newer.bytes);
  }

  private BlockKey newKey() {
    BlockKey key = agent.block.key;
    return new BlockKey(key.poolId(), key.blockId(), key.generationStamp() + 1);
  }

  private BlockName newName() {
    BlockKey key = newKey();
    return new BlockName(
        key.poolId(), key.blockId(), key.generationStamp(), true, "/f", new byte[0]);
  }

  /** The same block rewritten where it lies, as if it had been appended to. */
  private FileMap inPlaceOfOld(TestBlock newer) {
    TestBlock block = agent.block;
    for (int at = 0; at < LENGTH; at++) {
      block.image[block.placeOf(at)] = newer.bytes[at];
    }
    for (int at = 0; at < newer.meta.length; at++) {
      block.image[block.placeInMeta(at)] = newer.meta[at];
    }
    FileMap old = block.map(agent.reads.clock);
    return new FileMap(
        newKey(),
        old.origin(),
        LENGTH,
        block.blockExtents,
        block.metaExtents,
        block.map(agent.reads.clock).guard());
  }

  @Test
  void wrongBytesOfTheDeviceAreNotKept() throws Exception {
    start(usual());
    int bad = agent.block.placeOf(5000); // in the chunk, and not in what is asked for
    agent.block.image[bad] ^= 4;
    for (int i = 0; i < 4; i++) {
      check(agent.client, 0, 100);
      check(other, 10_000, 100);
    }
    assertThat(agent.cache().cachedBytes()).isZero();
    agent.block.image[bad] ^= 4;
    check(agent.client, 0, 100);
    assertThat(agent.cache().cachedBytes()).isEqualTo(CHUNK);
    check(other, 0, CHUNK);
  }

  @Test
  void wrongByteThatIsAskedForIsFoundAsEver() throws Exception {
    start(usual());
    for (int i = 0; i < 4; i++) {
      agent.reads.maps.then(agent.block.map(agent.reads.clock));
    }
    check(agent.client, 0, 100);
    agent.block.image[agent.block.placeOf(5000)] ^= 4;
    assertRefused(FallbackReason.CHECKSUM_MISMATCH, () -> check(agent.client, 5000, 100));
    assertThat(agent.suspects).isNotEmpty();
    assertThat(agent.reads.maps.rejections()).contains(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(agent.cache().cachedBytes()).isZero();
  }

  @Test
  void cachedBytesThatMemoryFalsifiedGo() throws Exception {
    start(usual());
    FileMap map = agent.reads.maps.get(agent.block.request);
    agent
        .cache()
        .insert(
            map,
            0,
            CHUNK,
            (offset, to, at, length) -> {
              to.put(at, agent.block.bytes, (int) offset, length);
              to.put(at + 700, (byte) ~agent.block.bytes[700]);
              return length;
            });
    check(other, 600, 200);
    assertThat(agent.cache().cachedBytes()).isZero();
    assertThat(figure("unfounded_mismatches_total")).isEqualTo(1);
    assertThat(agent.reads.maps.rejections()).as("the replica is right").isEmpty();
  }

  private static void assertRefused(FallbackReason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
  }
}
