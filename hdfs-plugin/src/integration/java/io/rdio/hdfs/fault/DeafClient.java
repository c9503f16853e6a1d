// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.BlockId;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.Volume;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** A client that takes leases, hears no recall and gives nothing back. */
final class DeafClient implements AutoCloseable {
  private static final String CLIENT_ID = "deaf";

  private final FileSystem stock;
  private final ManagedChannel plugin;
  private final RenewRequest.Builder renewal = RenewRequest.newBuilder();

  private DeafClient(FileSystem stock, ManagedChannel plugin) {
    this.stock = stock;
    this.plugin = plugin;
  }

  static DeafClient of(Cluster cluster) throws IOException {
    int port = cluster.clientConf(true).getInt("dfs.client.rdio.datanode.port", 0);
    return new DeafClient(
        cluster.fileSystem(false),
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build());
  }

  /** Takes a lease on each block of a file; how many were granted. */
  int lease(SeededFile file) throws IOException {
    GrantRequest.Builder request =
        GrantRequest.newBuilder()
            .setProtocolVersion(ProtocolVersion.CURRENT)
            .setClientId(CLIENT_ID);
    for (LocatedBlock located : Maps.blocks(stock, file.path())) {
      ExtendedBlock block = located.getBlock();
      request.addBlocks(
          BlockRequest.newBuilder()
              .setBlock(
                  BlockId.newBuilder()
                      .setPoolId(block.getBlockPoolId())
                      .setBlockId(block.getBlockId())
                      .setGenerationStamp(block.getGenerationStamp())));
    }
    GrantReply reply = MetadataPlaneGrpc.newBlockingStub(plugin).grant(request.build());
    renewal.setClientId(CLIENT_ID).setIncarnation(reply.getIncarnation());
    reply.getBlocksList().stream()
        .filter(BlockGrant::hasFileMap)
        .forEach(grant -> renewal.addLeaseIds(grant.getFileMap().getLeaseId()));
    return renewal.getLeaseIdsCount();
  }

  /** Renews all its leases; how many the DataNode did renew, which are those not recalled. */
  long renew() {
    return MetadataPlaneGrpc.newBlockingStub(plugin)
        .renew(renewal.build())
        .getLeaseMillisList()
        .stream()
        .filter(millis -> millis > 0)
        .count();
  }

  /** Of all volumes, and now: what /jmx shows may be ten seconds old. */
  long pinnedDeletedBytes() {
    return MetadataPlaneGrpc.newBlockingStub(plugin)
        .hello(HelloRequest.getDefaultInstance())
        .getVolumesList()
        .stream()
        .mapToLong(Volume::getPinnedDeletedBytes)
        .sum();
  }

  @Override
  public void close() throws IOException {
    plugin.shutdownNow();
    stock.close();
  }
}
