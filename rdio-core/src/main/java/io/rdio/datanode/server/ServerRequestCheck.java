// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import com.google.protobuf.ByteString;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.proto.BlockId;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.GrantRequest;
import java.util.ArrayList;
import java.util.List;

/** Bounds on what a request may contain, checked before anything is done with it. */
final class ServerRequestCheck {
  /** Characters of a client's id: it names a JVM, not a novel. */
  static final int CLIENT_ID_MAX = 256;

  /** Characters of a block pool's id. */
  static final int POOL_ID_MAX = 128;

  /** Bytes of a block token; those of wide erasure-coded groups have some kilobytes. */
  static final int TOKEN_MAX = 64 * 1024;

  private ServerRequestCheck() {}

  static String clientId(String clientId) throws ServerRequestException {
    if (clientId.isEmpty() || clientId.length() > CLIENT_ID_MAX) {
      throw ServerRequestException.invalid(
          "client_id has " + clientId.length() + " characters; 1 to " + CLIENT_ID_MAX + " needed");
    }
    if (clientId.indexOf(ServerSessions.SEPARATOR) >= 0) {
      throw ServerRequestException.invalid("client_id has a line feed; none is allowed");
    }
    return clientId;
  }

  static List<BlockAsk> blocks(GrantRequest request, int batchMax) throws ServerRequestException {
    if (request.getBlocksCount() > batchMax) {
      throw tooMany(request.getBlocksCount(), "blocks", batchMax);
    }
    List<BlockAsk> asks = new ArrayList<>(request.getBlocksCount());
    for (BlockRequest block : request.getBlocksList()) {
      tokenSize(block.getToken());
      tokenSize(block.getTokenIdentifier());
      asks.add(
          new BlockAsk(
              new TokenedBlock(block(block.getBlock()), block.getToken().toByteArray()),
              "",
              block.getSpeculative()));
    }
    return asks;
  }

  static void tokenSize(ByteString token) throws ServerRequestException {
    if (token.size() > TOKEN_MAX) {
      throw ServerRequestException.invalid(
          "a block token of " + token.size() + " bytes; at most " + TOKEN_MAX);
    }
  }

  /** Of a nonce, or of a session's id. */
  static void nonce(ByteString nonce) throws ServerRequestException {
    if (nonce.size() != GrantProof.NONCE_BYTES) {
      throw ServerRequestException.invalid(
          "a nonce or session_id of "
              + nonce.size()
              + " bytes; "
              + GrantProof.NONCE_BYTES
              + " needed");
    }
  }

  static BlockKey block(BlockId block) throws ServerRequestException {
    String pool = block.getPoolId();
    // Ids of erasure-coded blocks are negative, generation stamps never are.
    if (pool.length() > POOL_ID_MAX || !pool.matches("[A-Za-z0-9][A-Za-z0-9._:-]*")) {
      throw ServerRequestException.invalid(
          "pool_id of " + pool.length() + " characters is not a block pool's");
    }
    if (block.getGenerationStamp() < 0) {
      throw ServerRequestException.invalid(
          "generation_stamp is " + block.getGenerationStamp() + "; 0 or more needed");
    }
    return BlockIds.decode(block);
  }

  static long[] leaseIds(List<Long> ids, int max) throws ServerRequestException {
    if (ids.size() > max) {
      throw tooMany(ids.size(), "lease_ids", max);
    }
    return ids.stream().mapToLong(Long::longValue).toArray();
  }

  private static ServerRequestException tooMany(int count, String what, int max) {
    // Not RESOURCE_EXHAUSTED, which is for what finds room a moment later.
    return ServerRequestException.invalid(
        count + " " + what + " in one request; this DataNode takes at most " + max);
  }
}
