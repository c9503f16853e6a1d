// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.testing.Allocation;
import io.rdio.core.wire.proto.BlockId;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.Rdio;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What a request may contain, before anything is done with it. */
class RequestFuzzTest {
  private static final int BATCH_MAX = 16;

  /** Every field that a client can set. A new one is thought about here: none is a path. */
  @Example
  void noFieldOfARequestIsAPath() {
    ServiceDescriptor service = Rdio.getDescriptor().findServiceByName("MetadataPlane");
    Set<String> fields = new TreeSet<>();
    service.getMethods().forEach(method -> collect(method.getInputType().getFields(), fields));

    assertThat(fields)
        .containsExactly(
            "rdio.v1.BlockId.block_id: LONG",
            "rdio.v1.BlockId.generation_stamp: LONG",
            "rdio.v1.BlockId.pool_id: STRING",
            "rdio.v1.BlockRequest.block: MESSAGE",
            "rdio.v1.BlockRequest.proof: BYTE_STRING",
            "rdio.v1.BlockRequest.speculative: BOOLEAN",
            "rdio.v1.BlockRequest.token: BYTE_STRING",
            "rdio.v1.BlockRequest.token_identifier: BYTE_STRING",
            "rdio.v1.GrantRequest.auth: MESSAGE",
            "rdio.v1.GrantRequest.blocks: MESSAGE",
            "rdio.v1.GrantRequest.client_id: STRING",
            "rdio.v1.GrantRequest.protocol_version: INT",
            "rdio.v1.HelloRequest.client_id: STRING",
            "rdio.v1.HelloRequest.protocol_version: INT",
            "rdio.v1.HelloRequest.protocol_version_min: INT",
            "rdio.v1.ListLeasesRequest.after: LONG",
            "rdio.v1.ListLeasesRequest.max: INT",
            "rdio.v1.OpenSessionRequest.block: MESSAGE",
            "rdio.v1.OpenSessionRequest.client_id: STRING",
            "rdio.v1.OpenSessionRequest.nonce: BYTE_STRING",
            "rdio.v1.OpenSessionRequest.proof: BYTE_STRING",
            "rdio.v1.OpenSessionRequest.token_identifier: BYTE_STRING",
            "rdio.v1.RecallsRequest.auth: MESSAGE",
            "rdio.v1.RecallsRequest.client_id: STRING",
            "rdio.v1.RenewRequest.auth: MESSAGE",
            "rdio.v1.RenewRequest.client_id: STRING",
            "rdio.v1.RenewRequest.incarnation: LONG",
            "rdio.v1.RenewRequest.lease_ids: LONG",
            "rdio.v1.ReturnRequest.auth: MESSAGE",
            "rdio.v1.ReturnRequest.client_id: STRING",
            "rdio.v1.ReturnRequest.incarnation: LONG",
            "rdio.v1.ReturnRequest.lease_ids: LONG",
            "rdio.v1.SessionAuth.nonce: BYTE_STRING",
            "rdio.v1.SessionAuth.proof: BYTE_STRING",
            "rdio.v1.SessionAuth.session_id: BYTE_STRING");
  }

  /** The same of the write plane: a storage's id is compared, and names no file. */
  @Example
  void noFieldOfAWriteIsAPath() {
    ServiceDescriptor service = Rdio.getDescriptor().findServiceByName("WritePlane");
    Set<String> texts = new TreeSet<>();
    service.getMethods().forEach(method -> collect(method.getInputType().getFields(), texts));
    texts.removeIf(field -> !field.endsWith("STRING") || field.endsWith("BYTE_STRING"));

    assertThat(texts)
        .containsExactly(
            "rdio.v1.AbortRequest.client_id: STRING",
            "rdio.v1.AllocateRequest.client_id: STRING",
            "rdio.v1.AllocateRequest.storage_id: STRING",
            "rdio.v1.BlockId.pool_id: STRING",
            "rdio.v1.CommitHead.client_id: STRING",
            "rdio.v1.RenewRequest.client_id: STRING");
  }

  private static void collect(List<FieldDescriptor> fields, Set<String> into) {
    for (FieldDescriptor field : fields) {
      into.add(field.getFullName() + ": " + field.getJavaType());
      if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        collect(field.getMessageType().getFields(), into);
      }
    }
  }

  /** The pool id is the only text of a client that becomes part of a file's name. */
  @Property
  void poolIdThatPassesIsOneNameInItsDirectory(@ForAll("poolIds") String pool) {
    BlockId block = BlockId.newBuilder().setPoolId(pool).build();
    try {
      BlockAsk ask = ServerRequestCheck.blocks(request(block), BATCH_MAX).get(0);
      Path directory = Path.of("/volume/rdio/pins/1");
      Path link = directory.resolve(ask.block().poolId() + ".1.1.abc.1.data");
      assertThat(link.normalize()).isEqualTo(link);
      assertThat(link.getParent()).isEqualTo(directory);
    } catch (ServerRequestException e) {
      assertThat(e.status().getCode()).isEqualTo(io.grpc.Status.Code.INVALID_ARGUMENT);
      assertThat(pool).doesNotMatch("BP-[0-9]{1,20}-[0-9.]{7,15}-[0-9]{13}");
    } catch (InvalidPathException e) {
      throw new AssertionError("a name that the file system refuses was let through: " + pool, e);
    }
  }

  @Provide
  Arbitrary<String> poolIds() {
    Arbitrary<String> pieces =
        Arbitraries.of("..", "/", ".", "\0", "BP-1", "-127.0.0.1", "\\", "%2f", "\n", "\u202e", "");
    return Arbitraries.oneOf(
        pieces.list().ofMaxSize(5).map(list -> String.join("", list)),
        Arbitraries.strings().ofMaxLength(140),
        Arbitraries.strings().withChars("ABP-0123456789.:_").ofMaxLength(140));
  }

  @Property
  void anyFieldsAreAskedForOrRefused(
      @ForAll("poolIds") String pool,
      @ForAll long blockId,
      @ForAll long generationStamp,
      @ForAll("clientIds") String clientId,
      @ForAll("counts") int count,
      @ForAll("tokenSizes") int tokenSize)
      throws Exception {
    BlockRequest block =
        BlockRequest.newBuilder()
            .setBlock(
                BlockId.newBuilder()
                    .setPoolId(pool)
                    .setBlockId(blockId)
                    .setGenerationStamp(generationStamp))
            .setToken(ByteString.copyFrom(new byte[tokenSize]))
            .build();
    GrantRequest.Builder request = GrantRequest.newBuilder().setClientId(clientId);
    for (int i = 0; i < count; i++) {
      request.addBlocks(block);
    }
    check(request.build());
  }

  @Provide
  Arbitrary<String> clientIds() {
    return Arbitraries.oneOf(
        Arbitraries.strings().ofMaxLength(300),
        Arbitraries.integers().between(0, 2000).map("x"::repeat));
  }

  @Provide
  Arbitrary<Integer> counts() {
    return Arbitraries.integers().between(0, 2 * BATCH_MAX);
  }

  @Provide
  Arbitrary<Integer> tokenSizes() {
    return Arbitraries.oneOf(
        Arbitraries.integers().between(0, 300), Arbitraries.of(0, 65_536, 65_537, 100_000));
  }

  /** Noise, and well-made requests with some bytes changed or the end cut off. */
  @Property(tries = 2000)
  void anyBytesAreARequestOrRefused(@ForAll("wire") byte[] wire) {
    check(wire);
  }

  /** These bytes are a request or refused, for memory in proportion to them. */
  static void check(byte[] wire) {
    long bound = 200_000 + 200L * wire.length;
    Allocation.assertBelow(
        bound,
        () -> {
          try {
            check(GrantRequest.parseFrom(wire));
          } catch (InvalidProtocolBufferException e) {
            assertThat(e.getMessage()).isNotBlank();
          }
        });
  }

  @Provide
  Arbitrary<byte[]> wire() {
    byte[] good = good();
    Arbitrary<byte[]> noise = Arbitraries.bytes().array(byte[].class).ofMaxSize(300);
    Arbitrary<byte[]> damaged =
        Combinators.combine(
                Arbitraries.integers().between(0, good.length - 1),
                Arbitraries.bytes().array(byte[].class).ofMaxSize(6),
                Arbitraries.integers().between(0, good.length))
            .as(
                (at, bytes, cut) -> {
                  byte[] wire = good.clone();
                  System.arraycopy(bytes, 0, wire, at, Math.min(bytes.length, wire.length - at));
                  return cut < wire.length / 3 ? java.util.Arrays.copyOf(wire, cut) : wire;
                });
    return Arbitraries.oneOf(noise, damaged);
  }

  private static void check(GrantRequest request) {
    try {
      String clientId = ServerRequestCheck.clientId(request.getClientId());
      assertThat(clientId).hasSizeBetween(1, ServerRequestCheck.CLIENT_ID_MAX);
      List<BlockAsk> asks = ServerRequestCheck.blocks(request, BATCH_MAX);
      assertThat(asks).hasSizeLessThanOrEqualTo(BATCH_MAX);
      for (BlockAsk ask : asks) {
        assertThat(ask.block().poolId()).matches("[A-Za-z0-9][A-Za-z0-9._:-]{0,127}");
        assertThat(ask.block().generationStamp()).isNotNegative();
        assertThat(ask.token()).hasSizeLessThanOrEqualTo(ServerRequestCheck.TOKEN_MAX);
      }
    } catch (ServerRequestException e) {
      assertThat(e.status().getDescription()).isNotBlank().hasSizeLessThan(200);
    }
  }

  /** What passes. */
  static byte[] good() {
    return request(
            BlockId.newBuilder()
                .setPoolId("BP-1-127.0.0.1-1")
                .setBlockId(1L << 40)
                .setGenerationStamp(1001)
                .build())
        .toByteArray();
  }

  private static GrantRequest request(BlockId block) {
    return GrantRequest.newBuilder()
        .setProtocolVersion(1)
        .setClientId("client")
        .addBlocks(BlockRequest.newBuilder().setBlock(block))
        .build();
  }
}
