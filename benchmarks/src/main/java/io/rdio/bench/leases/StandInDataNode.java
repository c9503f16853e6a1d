// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.Witness;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.wire.DeviceCodec;
import io.rdio.core.wire.ExtentCodec;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnReply;
import io.rdio.core.wire.proto.ReturnRequest;
import io.rdio.hdfs.carried.CallEnd;
import io.rdio.hdfs.carried.Carrier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * A DataNode that keeps only the numbers of leases: it grants what it is asked for, at once, renews
 * whatever lease is named, and recalls what it is told to. For the DataNodes of which only the
 * hosts' side is simulated in full. For one thread at a time.
 */
final class StandInDataNode implements SimulatedNetwork.Peer {
  private static final long LEASE_MILLIS = 60_000;
  private static final int CHUNK_BYTES = 512;
  private static final int META_BYTES = 7;
  private static final CallEnd DONE = new CallEnd("OK", "", -1);

  private final FileMap map;
  private final Map<String, Set<Long>> leases = new HashMap<>();
  private final Map<String, Carrier.Answers> streams = new HashMap<>();
  private long incarnation = 1;
  private long lastLease;

  StandInDataNode(int number) {
    DeviceIdentity device =
        new DeviceIdentity("ext4", new UUID(number, 1), 1L << 40, "", 0, "/dev/nvme" + number);
    ExtentList extents = ExtentList.of(new long[] {1 << 20}, new long[] {1 << 20});
    this.map =
        FileMap.newBuilder()
            .setDevice(DeviceCodec.encode(device))
            .setStorageId("DS-1")
            .setBlockLength(PinnedReplicas.BLOCK_BYTES)
            .setMetaLength(META_BYTES)
            .setBlockExtents(ExtentCodec.encode(extents))
            .setMetaExtents(ExtentCodec.encode(extents))
            .setBytesPerChecksum(CHUNK_BYTES)
            .setMetaHeaderLength(META_BYTES)
            .setWitness(DeviceCodec.encode(new Witness(1 << 20, number, 1)))
            .build();
  }

  /** It is started anew: leases from before mean nothing to it. */
  void restart() {
    incarnation++;
    leases.clear();
    streams.clear();
  }

  /** Recalls a client's oldest lease, if it has one and listens. */
  void recall(String clientId) {
    Set<Long> held = leasesOf(clientId);
    Carrier.Answers stream = streams.get(clientId);
    if (stream != null && !held.isEmpty()) {
      Long oldest = held.iterator().next();
      stream.message(Recall.newBuilder().addLeaseIds(oldest).build().toByteArray());
    }
  }

  private Set<Long> leasesOf(String clientId) {
    return leases.computeIfAbsent(clientId, any -> new LinkedHashSet<>());
  }

  @Override
  public Carrier.Call serve(
      InetAddress client, String method, byte[] request, Carrier.Answers answers) {
    try {
      switch (method.substring(SimulatedNetwork.SERVICE.length())) {
        case "Hello" -> answer(answers, hello());
        case "Grant" -> answer(answers, grant(GrantRequest.parseFrom(request)));
        case "Renew" -> answer(answers, renew(RenewRequest.parseFrom(request)));
        case "Return" -> answer(answers, giveBack(ReturnRequest.parseFrom(request)));
        case "Recalls" -> streams.put(RecallsRequest.parseFrom(request).getClientId(), answers);
        default -> throw new IllegalArgumentException(method);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return () -> streams.values().remove(answers);
  }

  private static void answer(Carrier.Answers answers, byte[] message) {
    answers.message(message);
    answers.ended(DONE);
  }

  private byte[] hello() {
    return HelloReply.newBuilder()
        .setProtocolVersion(ProtocolVersion.CURRENT)
        .setProtocolVersionMin(ProtocolVersion.OLDEST)
        .setProtocolVersionMax(ProtocolVersion.CURRENT)
        .setIncarnation(incarnation)
        .setLeaseMillis(LEASE_MILLIS)
        .build()
        .toByteArray();
  }

  private byte[] grant(GrantRequest request) {
    Set<Long> held = leasesOf(request.getClientId());
    GrantReply.Builder reply =
        GrantReply.newBuilder().setIncarnation(incarnation).setLeaseMillis(LEASE_MILLIS);
    for (int i = 0; i < request.getBlocksCount(); i++) {
      lastLease++;
      held.add(lastLease);
      reply.addBlocks(
          BlockGrant.newBuilder()
              .setFileMap(
                  map.toBuilder()
                      .setLeaseId(lastLease)
                      .setBlock(request.getBlocks(i).getBlock())
                      .build())
              .build());
    }
    return reply.build().toByteArray();
  }

  private byte[] giveBack(ReturnRequest request) {
    Set<Long> held = leasesOf(request.getClientId());
    request.getLeaseIdsList().forEach(held::remove);
    return ReturnReply.getDefaultInstance().toByteArray();
  }

  private byte[] renew(RenewRequest request) {
    long millis = request.getIncarnation() == incarnation ? LEASE_MILLIS : 0;
    return RenewReply.newBuilder()
        .setIncarnation(incarnation)
        .addAllLeaseMillis(Collections.nCopies(request.getLeaseIdsCount(), millis))
        .build()
        .toByteArray();
  }
}
