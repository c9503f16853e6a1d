// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantStatement;
import io.rdio.core.wire.proto.Proven;
import java.io.UncheckedIOException;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** What somebody between client and DataNode can make of an honest grant. */
final class GrantLies {
  private GrantLies() {}

  /** What each is, and how it is told. */
  static Stream<Arguments> all() {
    return Stream.of(
        arguments("other extents", changed(map -> map.setBlockLength(4999))),
        arguments("no checksums", changed(map -> map.setChecksumType(0))),
        arguments("a longer lease", statement(s -> s.setLeaseMillis(s.getLeaseMillis() + 1))),
        arguments("another incarnation", statement(s -> s.setIncarnation(s.getIncarnation() + 1))),
        arguments("another proof", proven(p -> p.setProof(ByteString.copyFrom(new byte[32])))),
        arguments("no proof", proven(Proven.Builder::clearProof)),
        arguments("half a proof", proven(p -> p.setProof(p.getProof().substring(0, 16)))),
        arguments("a map as in version 1", lie(GrantLies::stripped)),
        arguments("nothing", lie(BlockGrant.Builder::clear)));
  }

  private static UnaryOperator<GrantReply> lie(UnaryOperator<BlockGrant.Builder> edit) {
    return reply ->
        reply.toBuilder().setBlocks(0, edit.apply(reply.getBlocks(0).toBuilder())).build();
  }

  private static UnaryOperator<GrantReply> proven(UnaryOperator<Proven.Builder> edit) {
    return lie(grant -> grant.setProven(edit.apply(grant.getProvenBuilder())));
  }

  private static UnaryOperator<GrantReply> statement(UnaryOperator<GrantStatement.Builder> edit) {
    return proven(
        proven ->
            proven.setStatement(
                edit.apply(parse(proven.getStatement()).toBuilder()).build().toByteString()));
  }

  private static UnaryOperator<GrantReply> changed(
      UnaryOperator<io.rdio.core.wire.proto.FileMap.Builder> edit) {
    return statement(statement -> statement.setFileMap(edit.apply(statement.getFileMapBuilder())));
  }

  private static BlockGrant.Builder stripped(BlockGrant.Builder grant) {
    return grant.setFileMap(parse(grant.getProven().getStatement()).getFileMap());
  }

  private static GrantStatement parse(ByteString bytes) {
    try {
      return GrantStatement.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new UncheckedIOException(e);
    }
  }
}
