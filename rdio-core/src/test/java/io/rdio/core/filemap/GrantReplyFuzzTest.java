// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.filemap;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.rdio.core.FallbackException;
import io.rdio.core.block.FileMap;
import io.rdio.core.metadata.proto.BlockGrant;
import io.rdio.core.metadata.proto.DeviceIdentity;
import io.rdio.core.metadata.proto.Extents;
import io.rdio.core.metadata.proto.GrantReply;
import java.util.List;
import java.util.function.UnaryOperator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a DataNode answers, a reader gets a map that adds up or a FallbackException. */
class GrantReplyFuzzTest {
  private static final long[] EDGES = {
    Long.MIN_VALUE, -1, 0, 1, 15, 512, 1000, 4096, 1L << 40, 1L << 60, Long.MAX_VALUE
  };

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
      FileMap map = fixture.get(1);
      long size = map.device().sizeBytes();
      assertThat(map.blockLength()).isBetween(0L, size);
      assertThat(map.blockExtents().length()).isGreaterThanOrEqualTo(map.blockLength());
      assertThat(map.metaExtents().length()).isGreaterThanOrEqualTo(map.metaLength());
      assertThat(map.metaLength())
          .isGreaterThanOrEqualTo(map.checksum().metaLength(map.blockLength()));
      assertThat(map.blockExtents().physicalEnd()).isLessThanOrEqualTo(size);
      assertThat(map.metaExtents().physicalEnd()).isLessThanOrEqualTo(size);
      assertThat(map.checksum().bytesPerChecksum()).isPositive();
      assertThat(map.checksum().headerLength()).isNotNegative();
      assertThat(fixture.isValid(map)).isTrue();
    } catch (FallbackException e) {
      assertThat(e.reason()).isNotNull();
    }
  }

  @Provide
  Arbitrary<List<UnaryOperator<GrantReply.Builder>>> edits() {
    Arbitrary<Long> number = Arbitraries.oneOf(Arbitraries.longs(), edges());
    Arbitrary<Integer> field = Arbitraries.integers().between(0, 15);
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
      case 14 -> map.setDevice(device.setFsUuid(ByteString.copyFrom(bytes)));
      default -> map.setLeaseId(value).clearDevice();
    }
    return reply.setBlocks(0, BlockGrant.newBuilder().setFileMap(map));
  }
}
