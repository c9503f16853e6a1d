// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.bench.workload.Zipf;
import io.rdio.core.time.BackOff;
import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnRequest;
import io.rdio.hdfs.carried.CallEnd;
import io.rdio.hdfs.carried.Carrier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A client of one DataNode as a list of leases: it says what a client says, when a client says it,
 * and with a client's back-off, but has no map, no session and no cache. For the hosts of which
 * only the DataNode's side is simulated in full. For one thread at a time.
 */
final class StandInClient {
  /** When clients have looked at a lease after half of its term, on average. */
  private static final long RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(35);

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(58);
  private static final Duration BACK_OFF = Duration.ofSeconds(30);
  private static final Duration BUSY_PAUSE = Duration.ofMillis(50);

  private final String id;
  private final InetAddress address;
  private final int dataNode;
  private final ClusterLoad load;
  private final VirtualTime time;
  private final SimulatedNetwork network;
  private final Zipf popularity;
  private final SplittableRandom random;
  private final BackOff failures;
  private final BackOff busy;

  /** The blocks that it reads, those first that it began with first. */
  private final Set<Long> wanted = new LinkedHashSet<>();

  private final Map<Long, Long> leases = new HashMap<>();

  /** Leases that the DataNode did not renew, and has not recalled until now. */
  private final Set<Long> lost = new HashSet<>();

  private long incarnation;
  private long confirmedNanos;
  private boolean asking;
  private boolean renewing;
  private boolean listening;

  StandInClient(
      int number,
      int dataNode,
      ClusterLoad load,
      VirtualTime time,
      SimulatedNetwork network,
      Zipf popularity,
      SplittableRandom random) {
    this.id = ClusterLoad.clientId(number);
    this.address = ClusterLoad.address(number);
    this.dataNode = dataNode;
    this.load = load;
    this.time = time;
    this.network = network;
    this.popularity = popularity;
    this.random = random;
    this.failures = new BackOff(BACK_OFF, BACK_OFF, time, random::nextDouble);
    this.busy = new BackOff(BUSY_PAUSE, BACK_OFF, time, random::nextDouble);
    for (int i = 0; i < load.filesHeld(); i++) {
      addFile();
    }
  }

  private void addFile() {
    long first = load.firstBlock(dataNode, popularity.rank(random));
    while (wanted.contains(first)) {
      first = load.firstBlock(dataNode, popularity.rank(random));
    }
    for (int i = 0; i < ClusterLoad.FILE_BLOCKS; i++) {
      wanted.add(first + i);
    }
  }

  /** Asks for what it has not, a file at a time, until it has all. */
  void want() {
    if (!asking) {
      ask();
    }
  }

  /** Blocks that it reads and has no lease of. */
  int missing() {
    return wanted.size() - leases.size();
  }

  /** Leases that the DataNode did not renew and did not recall either. */
  int lost() {
    return lost.size();
  }

  /** Begins with a file, and gives back the one that it began with first. */
  void change() {
    List<Long> ended = new ArrayList<>();
    for (Long block : wanted.stream().limit(ClusterLoad.FILE_BLOCKS).toList()) {
      drop(block, ended);
    }
    addFile();
    giveBack(ended);
    want();
  }

  /** A block that it reads; -1 if there is none. */
  long anyBlock() {
    return wanted.isEmpty() ? -1 : wanted.iterator().next();
  }

  private void drop(Long block, List<Long> ended) {
    wanted.remove(block);
    Long lease = leases.remove(block);
    if (lease != null) {
      ended.add(lease);
    }
  }

  private void ask() {
    List<Long> missing =
        wanted.stream()
            .filter(block -> !leases.containsKey(block))
            .limit(ClusterLoad.FILE_BLOCKS)
            .toList();
    asking = !missing.isEmpty();
    if (!asking) {
      listen();
      return;
    }
    GrantRequest.Builder request =
        GrantRequest.newBuilder().setProtocolVersion(ProtocolVersion.CURRENT).setClientId(id);
    for (Long block : missing) {
      request.addBlocks(
          BlockRequest.newBuilder().setBlock(BlockIds.encode(ClusterLoad.key(block))).build());
    }
    long sent = time.nanos();
    call("Grant", request.build().toByteArray(), reply -> granted(reply, sent), this::notGranted);
  }

  private void granted(byte[] bytes, long sent) {
    failures.succeeded();
    busy.succeeded();
    try {
      GrantReply reply = GrantReply.parseFrom(bytes);
      observe(reply.getIncarnation());
      if (leases.isEmpty()) {
        confirmedNanos = sent;
      }
      for (BlockGrant grant : reply.getBlocksList()) {
        if (grant.hasFileMap()) {
          take(grant.getFileMap().getBlock().getBlockId(), grant.getFileMap().getLeaseId());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!renewing) {
      renewing = true;
      time.after(RENEWAL_NANOS, this::renew);
    }
    // What was refused, for it is being recalled, is asked for again by a later read.
    time.after(random.nextLong(FullHost.READ_EVERY_NANOS), this::ask);
  }

  private void take(long block, long lease) {
    if (wanted.contains(block)) {
      leases.put(block, lease);
    } else {
      giveBack(List.of(lease)); // given up while it was asked for
    }
  }

  private void notGranted(CallEnd end) {
    BackOff pause = end.retryAfterMillis() < 0 ? failures : busy;
    pause.failed(TimeUnit.MILLISECONDS.toNanos(Math.max(0, end.retryAfterMillis())));
    // Its readers notice by their next read that they may ask again.
    time.after(pause.leftNanos() + random.nextLong(FullHost.READ_EVERY_NANOS), this::ask);
  }

  /** Leases of another incarnation are worth nothing. */
  private void observe(long answering) {
    if (answering != incarnation) {
      incarnation = answering;
      leases.clear();
    }
  }

  private void renew() {
    if (leases.isEmpty()) {
      renewing = false;
      return;
    }
    List<Long> ids = List.copyOf(leases.values());
    byte[] request =
        RenewRequest.newBuilder()
            .setClientId(id)
            .setIncarnation(incarnation)
            .addAllLeaseIds(ids)
            .build()
            .toByteArray();
    long sent = time.nanos();
    call("Renew", request, reply -> renewed(ids, reply, sent), end -> notRenewed());
  }

  private void renewed(List<Long> ids, byte[] bytes, long sent) {
    try {
      RenewReply reply = RenewReply.parseFrom(bytes);
      boolean same = reply.getIncarnation() == incarnation;
      observe(reply.getIncarnation());
      for (int i = 0; same && i < ids.size(); i++) {
        if (reply.getLeaseMillis(i) == 0 && leases.values().remove(ids.get(i))) {
          lost.add(ids.get(i));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    confirmedNanos = sent;
    listen();
    want();
    time.after(RENEWAL_NANOS, this::renew);
  }

  private void notRenewed() {
    if (time.nanos() - confirmedNanos > VALID_NANOS) {
      leases.clear();
      renewing = false;
      want();
    } else {
      time.after(LOOK_NANOS, this::renew);
    }
  }

  private void listen() {
    if (listening) {
      return;
    }
    listening = true;
    byte[] request = RecallsRequest.newBuilder().setClientId(id).build().toByteArray();
    send("Recalls", request, new Stream());
  }

  private final class Stream implements Carrier.Answers {
    @Override
    public void message(byte[] bytes) {
      try {
        recalled(Recall.parseFrom(bytes).getLeaseIdsList());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void ended(CallEnd end) {
      listening = false;
    }
  }

  /** The blocks are gone: it reads them no more. */
  private void recalled(List<Long> ids) {
    Set<Long> named = new HashSet<>(ids);
    lost.removeAll(named);
    List<Long> ended = new ArrayList<>();
    new HashMap<>(leases)
        .forEach(
            (block, lease) -> {
              if (named.contains(lease)) {
                drop(block, ended);
              }
            });
    giveBack(ended);
  }

  private void giveBack(List<Long> ids) {
    if (ids.isEmpty()) {
      return;
    }
    byte[] request =
        ReturnRequest.newBuilder()
            .setClientId(id)
            .setIncarnation(incarnation)
            .addAllLeaseIds(ids)
            .build()
            .toByteArray();
    call("Return", request, reply -> {}, end -> {});
  }

  private void call(
      String method, byte[] request, Consumer<byte[]> answered, Consumer<CallEnd> failed) {
    send(method, request, new OneAnswer(answered, failed));
  }

  private void send(String method, byte[] request, Carrier.Answers answers) {
    network.send(
        address,
        ClusterLoad.endpoint(dataNode),
        SimulatedNetwork.SERVICE + method,
        request,
        answers);
  }
}
