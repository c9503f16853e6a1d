// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.Allocation;
import io.rdio.core.wire.CommitAsk;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.wire.SlotGrant;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.wire.proto.AbortReply;
import io.rdio.core.wire.proto.AbortRequest;
import io.rdio.core.wire.proto.AllocateRequest;
import io.rdio.core.wire.proto.CommitPart;
import io.rdio.core.wire.proto.Extents;
import io.rdio.core.wire.proto.WriteGrant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** What is read of the write plane's messages keeps all bounds, or nothing is read. */
class WriteMessagesFuzzTest {
  private static final BlockKey BLOCK = new BlockKey("BP-1-127.0.0.1-1", 1L << 40, 1001);
  private static final DeviceIdentity DEVICE =
      new DeviceIdentity("ext4", new UUID(1, 2), 1L << 40, "eui.1", 0, "/dev/test");
  private static final int KINDS = 5;
  private static final int LEASES = 10;

  /** What passes, each behind the number of its kind. */
  static List<byte[]> seeds() {
    return List.of(
        seed(0, WriteCodec.encode(ask(1 << 20, 512)).setClientId("client").build()),
        seed(1, WriteCodec.encode(grant(4096, 3))),
        seed(
            2,
            CommitPart.newBuilder()
                .setHead(WriteCodec.encode(new CommitAsk(1, 2, BLOCK, 1000)).setClientId("c"))
                .build()),
        seed(2, CommitPart.newBuilder().setChecksums(ByteString.copyFrom(new byte[8])).build()),
        seed(3, AbortRequest.newBuilder().addLeaseIds(7).addEnds(1).build()),
        seed(4, late(0, LEASES - 1)));
  }

  private static AbortReply late(int... places) {
    AbortReply.Builder reply = AbortReply.newBuilder();
    for (int place : places) {
      reply.addLate(place);
    }
    return reply.build();
  }

  private static byte[] seed(int kind, MessageLite message) {
    byte[] bytes = message.toByteArray();
    byte[] seed = new byte[bytes.length + 1];
    seed[0] = (byte) kind;
    System.arraycopy(bytes, 0, seed, 1, bytes.length);
    return seed;
  }

  private static SlotAsk ask(long bytes, int chunk) {
    return new SlotAsk(BLOCK, "DS-1", bytes, ChecksumSpec.Type.CRC32, chunk, -5);
  }

  private static SlotGrant grant(int unit, int extents) {
    long[] physical = new long[extents];
    long[] length = new long[extents];
    for (int i = 0; i < extents; i++) {
      physical[i] = 3L * unit * i;
      length[i] = (1L + i % 2) * unit;
    }
    ExtentList list = ExtentList.of(physical, length);
    return new SlotGrant(1, 2, 30_000, 60_000, BLOCK, DEVICE, "DS-1", list, 3, 4, unit, true);
  }

  @Property
  void slotIsReadAsItWasWritten(
      @ForAll @IntRange(min = 9, max = 16) int unitBits,
      @ForAll @IntRange(min = 1, max = 64) int extents)
      throws Exception {
    SlotGrant grant = grant(1 << unitBits, extents);
    byte[] wire = WriteCodec.encode(grant).toByteArray();

    SlotGrant read = WriteCodec.decode(WriteGrant.parseFrom(wire));

    assertThat(read).usingRecursiveComparison().isEqualTo(grant);
  }

  @Property
  void askAndCommitAreReadAsTheyWereWritten(
      @ForAll @LongRange(min = 1, max = 1L << 30) long bytes,
      @ForAll @IntRange(min = 512, max = 1 << 20) int chunk,
      @ForAll long lease)
      throws Exception {
    SlotAsk ask = ask(bytes, chunk);
    byte[] wire = WriteCodec.encode(ask).build().toByteArray();
    assertThat(WriteCodec.decode(AllocateRequest.parseFrom(wire))).isEqualTo(ask);

    CommitAsk commit = new CommitAsk(lease, ~lease, BLOCK, bytes);
    assertThat(WriteCodec.decode(WriteCodec.encode(commit).build())).isEqualTo(commit);
  }

  private static void isRefused(UnaryOperator<WriteGrant.Builder> edit, String words) {
    WriteGrant edited = edit.apply(WriteCodec.encode(grant(4096, 2)).toBuilder()).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WriteCodec.decode(edited))
        .withMessageContaining(words);
  }

  private static Extents extents(long... physicalAndLength) {
    Extents.Builder extents = Extents.newBuilder();
    for (int i = 0; i < physicalAndLength.length; i += 2) {
      extents.addPhysical(physicalAndLength[i]).addLength(physicalAndLength[i + 1]);
    }
    return extents.build();
  }

  @Example
  void slotsThatBreakABoundAreRefused() {
    isRefused(grant -> grant.clearExtents(), "number of extents is 0");
    long[] many = new long[2 * 65];
    for (int i = 0; i < many.length; i += 2) {
      many[i] = 4096L * 2 * i;
      many[i + 1] = 4096;
    }
    isRefused(grant -> grant.setExtents(extents(many)), "number of extents is 65");
    isRefused(grant -> grant.setExtents(Extents.newBuilder().addLength(4096)), "extent starts");
    isRefused(grant -> grant.setExtents(extents(512, 4096)), "start of an extent is 512");
    isRefused(grant -> grant.setExtents(extents(0, 4097)), "length of an extent is 4097");
    isRefused(grant -> grant.setExtents(extents(-4096, 4096)), "out of range");
    isRefused(grant -> grant.setExtents(extents(0, 8192, 4096, 4096)), "overlap");
    isRefused(grant -> grant.setExtents(extents(1L << 40, 4096)), "end of extents");
    isRefused(grant -> grant.setExtents(extents(0, (1L << 30) + 4096)), "bytes of the slot");
    isRefused(grant -> grant.setUnit(0), "unit of the slot is 0");
    isRefused(grant -> grant.setUnit(4095), "unit of the slot is 4095");
    isRefused(grant -> grant.setUnit(256), "unit of the slot is 256");
    isRefused(grant -> grant.setUnit(1 << 17), "unit of the slot is 131072");
    isRefused(grant -> grant.setUnit(Integer.MIN_VALUE), "unit of the slot");
    isRefused(grant -> grant.setLeaseMillis(0), "milliseconds of the write lease is 0");
    isRefused(grant -> grant.setLeaseMillis(Long.MAX_VALUE), "milliseconds of the write lease");
    isRefused(grant -> grant.setIoMillis(0), "milliseconds of a write is 0");
    isRefused(grant -> grant.setIoMillis(Long.MAX_VALUE), "milliseconds of a write is");
    isRefused(grant -> grant.setStorageId(""), "storage_id of 0");
    isRefused(grant -> grant.clearDevice(), "UUID");
  }

  @Example
  void placesOfLeasesAreOfTheRequest() {
    assertThat(WriteCodec.late(late(), 1)).isEmpty();
    assertThat(WriteCodec.late(late(2, 0, 2), 3)).containsExactly(2, 0);
    for (int place : new int[] {3, -1, Integer.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> WriteCodec.late(late(0, place), 3))
          .withMessageContaining("place among 3 leases is " + place);
    }
  }

  /** Noise, and well-made messages with some bytes changed or the end cut off. */
  @Property(tries = 3000)
  void anyBytesAreAMessageOrRefused(@ForAll("wire") byte[] wire) {
    check(wire);
  }

  @Provide
  Arbitrary<byte[]> wire() {
    Arbitrary<byte[]> noise = Arbitraries.bytes().array(byte[].class).ofMaxSize(300);
    Arbitrary<byte[]> damaged =
        Combinators.combine(
                Arbitraries.of(seeds()),
                Arbitraries.integers().between(0, 1000),
                Arbitraries.bytes().array(byte[].class).ofMaxSize(6),
                Arbitraries.integers().between(0, 1000))
            .as(
                (good, place, bytes, cut) -> {
                  byte[] wire = good.clone();
                  int at = place % wire.length;
                  System.arraycopy(bytes, 0, wire, at, Math.min(bytes.length, wire.length - at));
                  return cut < wire.length / 3 ? Arrays.copyOf(wire, cut) : wire;
                });
    return Arbitraries.oneOf(noise, damaged);
  }

  /** The message is one or refused, for memory in proportion to it. */
  static void check(byte[] data) {
    if (data.length == 0) {
      return;
    }
    byte[] wire = Arrays.copyOfRange(data, 1, data.length);
    long bound = 200_000 + 200L * wire.length;
    Allocation.assertBelow(
        bound,
        () -> {
          try {
            check(Math.floorMod(data[0], KINDS), wire);
          } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotBlank().hasSizeLessThan(300);
          } catch (ServerRequestException e) {
            assertThat(e.status().getDescription()).isNotBlank().hasSizeLessThan(300);
          }
        });
  }

  private static void check(int kind, byte[] wire)
      throws InvalidProtocolBufferException, ServerRequestException {
    switch (kind) {
      case 0 -> addsUp(ServerWriteCheck.ask(AllocateRequest.parseFrom(wire)));
      case 1 -> addsUp(WriteCodec.decode(WriteGrant.parseFrom(wire)));
      case 2 -> addsUp(CommitPart.parseFrom(wire));
      case 3 -> {
        AbortRequest request = AbortRequest.parseFrom(wire);
        int leases = ServerWriteCheck.leaseIds(request.getLeaseIdsList()).length;
        assertThat(ServerWriteCheck.ends(request)).hasSize(leases);
        assertThat(leases).isLessThanOrEqualTo(1_000);
      }
      default ->
          assertThat(WriteCodec.late(AbortReply.parseFrom(wire), LEASES))
              .doesNotHaveDuplicates()
              .allMatch(place -> place >= 0 && place < LEASES);
    }
  }

  private static void addsUp(SlotAsk ask) {
    assertThat(ask.bytes()).isBetween(1L, 1L << 30);
    assertThat(ask.checksum()).isNotEqualTo(ChecksumSpec.Type.NULL);
    assertThat(WriteCodec.crcBytes(ask.bytes(), ask.bytesPerChecksum())).isBetween(4L, 8L << 20);
    assertThat(ask.storageId()).doesNotContain("/", "\0", "\n");
    assertThat(ask.block().generationStamp()).isNotNegative();
  }

  private static void addsUp(SlotGrant grant) {
    ExtentList extents = grant.extents();
    assertThat(extents.count()).isBetween(1, 64);
    assertThat(extents.length()).isBetween((long) grant.unit(), 1L << 30);
    assertThat(extents.overlaps()).isFalse();
    for (int i = 0; i < extents.count(); i++) {
      assertThat(extents.physical(i) % grant.unit()).isZero();
      assertThat(extents.end(i) % grant.unit()).isZero();
      assertThat(extents.physical(i) + extents.end(i) - extents.start(i))
          .isBetween(1L, grant.device().sizeBytes());
    }
  }

  private static void addsUp(CommitPart part) throws ServerRequestException {
    if (part.hasHead()) {
      CommitAsk ask = ServerWriteCheck.head(part.getHead());
      assertThat(ask.length()).isBetween(1L, 1L << 30);
      assertThat(ServerCommitShares.crcBytes(ask.length())).isBetween(4L, 8L << 20);
    } else if (part.hasChecksums()) {
      WriteCodec.requirePart(part.getChecksums());
      assertThat(part.getChecksums().size() % 4).isZero();
    }
  }
}
