// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Allocation;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.DeviceIdentity;
import io.rdio.core.wire.proto.Extents;
import io.rdio.core.wire.proto.GrantReply;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Whatever a DataNode answers, a reader gets a map that adds up or a FallbackException. */
class GrantReplyFuzzTest {
  private static final long[] EDGES = {
    Long.MIN_VALUE, -1, 0, 1, 15, 512, 1000, 4096, 1L << 40, 1L << 60, Long.MAX_VALUE
  };

  /** Bytes for one answer, with a client and a DataNode of its own. */
  private static final long ALLOCATED_MAX = 4L << 20;

  @Property(tries = 1000)
  void onlyMapsThatAddUp(@ForAll("edits") List<UnaryOperator<GrantReply.Builder>> edits) {
    try (FileMapCacheFixture fixture = new FileMapCacheFixture()) {
      fixture.file(List.of(1L), "a");
      fixture.dataNode("a").garble =
          reply -> {
            GrantReply.Builder edited = reply.toBuilder();
            for (UnaryOperator<GrantReply.Builder> edit : edits) {
              edited = edit.apply(edited);
            }
            return edited.build();
          };
      assertAddsUp(fixture, fixture.get(1));
    } catch (FallbackException e) {
      assertThat(e.reason()).isNotNull();
    }
  }

  private static void assertAddsUp(FileMapCacheFixture fixture, FileMap map) {
    long size = map.device().sizeBytes();
    assertThat(map.blockLength()).isBetween(0L, size);
    assertThat(map.blockExtents().length()).isGreaterThanOrEqualTo(map.blockLength());
    assertThat(map.metaExtents().length())
        .isGreaterThanOrEqualTo(map.checksum().metaLength(map.blockLength()));
    assertThat(map.blockExtents().physicalEnd()).isLessThanOrEqualTo(size);
    assertThat(map.metaExtents().physicalEnd()).isLessThanOrEqualTo(size);
    assertThat(map.checksum().bytesPerChecksum()).isPositive();
    assertThat(map.checksum().headerLength()).isNotNegative();
    assertThat(fixture.isValid(map)).isTrue();
    assertThat((long) map.blockExtents().count()).isLessThanOrEqualTo(map.blockLength() / 512 + 1);
  }

  /** A reply whose very bytes are damaged, on every call of the metadata plane. */
  @Property(tries = 1000)
  void onlyMapsThatAddUpFromAnyBytes(
      @ForAll @IntRange(max = 300) int at, @ForAll @Size(max = 12) byte[] noise, @ForAll int cut) {
    check(dataNode -> dataNode.garbleBytes = reply -> damaged(reply, at, noise, cut));
  }

  private static byte[] damaged(byte[] reply, int at, byte[] noise, int cut) {
    byte[] damaged = cut % 4 == 0 ? Arrays.copyOf(reply, reply.length / 2) : reply.clone();
    for (int i = 0; i < noise.length && damaged.length > 0; i++) {
      damaged[(at + i) % damaged.length] = noise[i];
    }
    return damaged;
  }

  /** A DataNode that is made to lie leads to a map that adds up or to a refusal, in few bytes. */
  static void check(Consumer<FakeDataNode> lie) {
    Allocation.assertBelow(ALLOCATED_MAX, () -> ask(lie));
  }

  private static void ask(Consumer<FakeDataNode> lie) {
    try (FileMapCacheFixture fixture = new FileMapCacheFixture()) {
      fixture.file(List.of(1L), "a");
      lie.accept(fixture.dataNode("a"));
      assertAddsUp(fixture, fixture.get(1));
    } catch (FallbackException e) {
      // Never INTERRUPTED: nobody was, and another replica would not be asked.
      assertThat(e.reason()).isNotIn(FallbackReason.INTERRUPTED, FallbackReason.INTERNAL_ERROR);
    }
  }

  /** The answer of a recall stream and of a renewal, which nobody waits for. */
  @Property(tries = 300)
  void leaseOutlivesGarbageOnTheOtherCalls(@ForAll @Size(max = 40) byte[] noise) throws Exception {
    try (FileMapCacheFixture fixture = new FileMapCacheFixture()) {
      fixture.file(List.of(1L), "a");
      FileMap map = fixture.get(1);
      fixture.dataNode("a").garbleBytes = reply -> noise;
      fixture.dataNode("a").recall(Lease.of(map).id() + 1);
      fixture.advance(FileMapCacheFixture.TERM.dividedBy(2).plusSeconds(1));
      map.guard().touch(fixture.nanos());
      fixture.cache.tend();
      fixture.cache.tend();

      // Lost at once or at the end of its term, but never longer valid than it was granted for.
      fixture.advance(FileMapCacheFixture.TERM.dividedBy(2));
      assertThat(fixture.isValid(map)).isFalse();
    }
  }

  @Provide
  Arbitrary<List<UnaryOperator<GrantReply.Builder>>> edits() {
    Arbitrary<Long> number = Arbitraries.oneOf(Arbitraries.longs(), edges());
    Arbitrary<Integer> field = Arbitraries.integers().between(0, 18);
    return Combinators.combine(field, number, number, Arbitraries.bytes().array(byte[].class))
        .as(GrantReplyFuzzTest::edit)
        .list()
        .ofMinSize(1)
        .ofMaxSize(3);
  }

  private static Arbitrary<Long> edges() {
    Long[] boxed = new Long[EDGES.length];
    for (int i = 0; i < EDGES.length; i++) {
      boxed[i] = EDGES[i];
    }
    return Arbitraries.of(boxed);
  }

  private static UnaryOperator<GrantReply.Builder> edit(
      int field, long value, long other, byte[] bytes) {
    return reply ->
        switch (field) {
          case 0 -> reply.setLeaseMillis(value);
          case 1 -> reply.setIncarnation(value);
          case 2 -> reply.addBlocks(BlockGrant.getDefaultInstance());
          case 3 -> reply.clearBlocks();
          case 4 -> reply.clearBlocks().addBlocks(BlockGrant.getDefaultInstance());
          default -> editMap(reply, field, value, other, bytes);
        };
  }

  private static GrantReply.Builder editMap(
      GrantReply.Builder reply, int field, long value, long other, byte[] bytes) {
    if (reply.getBlocksCount() == 0) {
      return reply;
    }
    var map = reply.getBlocks(0).getFileMap().toBuilder();
    DeviceIdentity.Builder device = map.getDevice().toBuilder();
    Extents extents = Extents.newBuilder().addPhysical(value).addLength(other).build();
    switch (field) {
      case 5 -> map.setBlockLength(value);
      case 6 -> map.setMetaLength(value);
      case 7 -> map.setChecksumType((int) value);
      case 8 -> map.setBytesPerChecksum((int) value);
      case 9 -> map.setMetaHeaderLength((int) value);
      case 10 -> map.setBlockExtents(map.getBlockExtents().toBuilder().mergeFrom(extents));
      case 11 -> map.setMetaExtents(extents);
      case 12 -> map.setBlockExtents(Extents.newBuilder().addPhysical(value));
      case 13 -> map.setDevice(device.setSizeBytes(value).setPartitionStartBytes(other));
      case 15 -> map.setBlockExtents(many(3000, 512, value & 0xFFFF));
      case 16 -> map.setMetaExtents(many(3000, 1, 0));
      case 17 -> map.setBlockExtents(overlapping(value & 0xFFFFF, 1 + (other & 0xFFF)));
      case 14 -> map.setDevice(device.setFsUuid(ByteString.copyFrom(bytes)));
      default -> map.setLeaseId(value).clearDevice();
    }
    return reply.setBlocks(0, BlockGrant.newBuilder().setFileMap(map));
  }

  private static Extents many(int count, long length, long gap) {
    Extents.Builder extents = Extents.newBuilder();
    for (int i = 0; i < count; i++) {
      extents.addPhysical(i * (length + gap)).addLength(length);
    }
    return extents.build();
  }

  private static Extents overlapping(long at, long length) {
    return Extents.newBuilder()
        .addPhysical(at)
        .addPhysical(at + length - 1)
        .addLength(length)
        .addLength(4096)
        .build();
  }

  @Example
  void overlappingExtentsAreRefused() {
    assertRefused(map -> map.setBlockExtents(overlapping(1 << 20, 4096)), "overlap");
  }

  @Example
  void moreExtentsThanSectorsAreRefused() {
    assertRefused(map -> map.setMetaExtents(many(3000, 1, 1)), "extents");
  }

  @Example
  void aBlockInTheSmallestExtentsThereAreIsGood() throws FallbackException {
    try (FileMapCacheFixture fixture = new FileMapCacheFixture()) {
      fixture.file(List.of(1L), "a");
      fixture.dataNode("a").garble =
          reply -> edited(reply, map -> map.setBlockExtents(many(2, 512, 512)));
      assertThat(fixture.get(1).blockExtents().count()).isEqualTo(2);
    }
  }

  private static GrantReply edited(
      GrantReply reply, UnaryOperator<io.rdio.core.wire.proto.FileMap.Builder> edit) {
    var map = edit.apply(reply.getBlocks(0).getFileMap().toBuilder());
    return reply.toBuilder().setBlocks(0, BlockGrant.newBuilder().setFileMap(map)).build();
  }

  private static void assertRefused(
      UnaryOperator<io.rdio.core.wire.proto.FileMap.Builder> edit, String words) {
    try (FileMapCacheFixture fixture = new FileMapCacheFixture()) {
      fixture.file(List.of(1L), "a");
      fixture.dataNode("a").garble = reply -> edited(reply, edit);
      FallbackException refusal =
          catchThrowableOfType(FallbackException.class, () -> fixture.get(1));
      assertThat(refusal.reason()).isEqualTo(FallbackReason.METADATA_PLANE_ERROR);
      assertThat(refusal.detail()).contains(words);
    }
  }
}
