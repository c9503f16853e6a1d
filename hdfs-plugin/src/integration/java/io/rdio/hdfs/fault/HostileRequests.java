// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import com.google.protobuf.ByteString;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.proto.BlockId;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.OpenSessionRequest;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnRequest;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** What a hostile client asks of a DataNode's plugin. */
final class HostileRequests {
  private static final String CLIENT = "flood";

  private HostileRequests() {}

  /** For leases on these blocks; who asks is still to be said. */
  static GrantRequest.Builder grant(List<LocatedBlock> blocks) {
    GrantRequest.Builder request =
        GrantRequest.newBuilder().setProtocolVersion(ProtocolVersion.CURRENT);
    blocks.forEach(each -> request.addBlocks(BlockRequest.newBuilder().setBlock(id(each))));
    return request;
  }

  private static BlockId id(LocatedBlock located) {
    ExtendedBlock block = located.getBlock();
    return id(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
  }

  private static BlockId id(String pool, long id, long generationStamp) {
    return BlockId.newBuilder()
        .setPoolId(pool)
        .setBlockId(id)
        .setGenerationStamp(generationStamp)
        .build();
  }

  /** For as many blocks as a request may have, none of which is there. */
  static GrantRequest hugeGrant() {
    GrantRequest.Builder request =
        GrantRequest.newBuilder().setProtocolVersion(ProtocolVersion.CURRENT).setClientId("huge");
    for (int i = 0; i < 1024; i++) {
      request.addBlocks(BlockRequest.newBuilder().setBlock(id("BP-1-127.0.0.1-1", i, 1)));
    }
    return request.build();
  }

  /** Of so many leases that nobody holds. */
  static RenewRequest renewal(long incarnation, int count) {
    return RenewRequest.newBuilder()
        .setClientId(CLIENT)
        .setIncarnation(incarnation)
        .addAllLeaseIds(leaseIds(count))
        .build();
  }

  /** Of so many leases that nobody holds. */
  static ReturnRequest giveBack(long incarnation, int count) {
    return ReturnRequest.newBuilder()
        .setClientId(CLIENT)
        .setIncarnation(incarnation)
        .addAllLeaseIds(leaseIds(count))
        .build();
  }

  private static List<Long> leaseIds(int count) {
    return new Random(count).longs(count).boxed().toList();
  }

  /** By a block token that is none. */
  static OpenSessionRequest session(LocatedBlock block) {
    return OpenSessionRequest.newBuilder()
        .setClientId(CLIENT)
        .setNonce(garbage(16))
        .setBlock(id(block))
        .setTokenIdentifier(garbage(32 << 10))
        .setProof(garbage(32))
        .build();
  }

  private static ByteString garbage(int bytes) {
    byte[] random = new byte[bytes];
    new Random(bytes).nextBytes(random);
    return ByteString.copyFrom(random);
  }
}
