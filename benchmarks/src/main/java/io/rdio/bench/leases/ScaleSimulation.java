// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.bench.workload.Zipf;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.datanode.grant.GrantResult;
import io.rdio.datanode.grant.GrantService;
import io.rdio.datanode.grant.Holder;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * One DataNode of a large cluster, by the grant service itself (accounts, lease table, pinner,
 * recalls) with a clock that is moved on by hand, and its clients, of which each is a list of
 * leases. No network. All of the DataNode's work is done, and its CPU time taken, on the caller's
 * thread. For one thread.
 */
final class ScaleSimulation implements AutoCloseable {
  private static final String POOL = "BP-1-127.0.0.1-1";
  private static final long GENERATION = 1001;
  private static final int ASKS = 64;

  /** Half of a lease's term, when clients renew. */
  private static final int RENEWAL_SECONDS = 30;

  /** A rack's outage: longer than any lease. */
  private static final int OUTAGE_SECONDS = 180;

  private static final double ZIPF_EXPONENT = 0.99;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /**
   * What a cluster is like, as one DataNode sees it.
   *
   * @param clients that read from it
   * @param blocks that it has
   * @param maps that a client has of its blocks
   * @param changes a second: a client takes a map that it had not, and returns its oldest one
   * @param deletions of blocks a second, each of which is leased
   */
  record Load(int clients, int blocks, int maps, int changes, int deletions) {}

  /**
   * What was done of one kind.
   *
   * @param count leases
   * @param cpuNanos of the DataNode for all of them
   */
  record Work(long count, long cpuNanos) {
    static final Work NONE = new Work(0, 0);

    Work plus(long more, long nanos) {
      return new Work(count + more, cpuNanos + nanos);
    }

    /** CPU time for one; NaN for none. */
    double nanosEach() {
      return count == 0 ? Double.NaN : (double) cpuNanos / count;
    }
  }

  private final Load load;
  private final PinnedReplicas replicas = new PinnedReplicas();
  private final GrantService service;
  private final List<Client> clients = new ArrayList<>();
  private final SplittableRandom random = new SplittableRandom(1);
  private final Zipf popularity;
  private long nanos;
  private Work grants = Work.NONE;
  private Work renewals = Work.NONE;
  private Work returns = Work.NONE;
  private Work recalls = Work.NONE;
  private Work upkeep = Work.NONE;
  private long lost;
  private long renewalBytes;

  ScaleSimulation(Load load) throws IOException {
    this.load = load;
    this.popularity = new Zipf(load.blocks(), ZIPF_EXPONENT);
    this.service = LeaseSteps.service(replicas, () -> nanos);
    service.sweep();
    for (int i = 0; i < load.clients(); i++) {
      clients.add(new Client(i));
    }
  }

  /** A client: what it holds, the oldest first. */
  private final class Client {
    private final Holder holder;
    private final Deque<Long> leases = new ArrayDeque<>();
    private final Deque<Long> blocks = new ArrayDeque<>();
    private final List<long[]> recalled = new ArrayList<>();

    Client(int number) {
      holder =
          new Holder(
              "client-" + number,
              "10." + (number >> 16) + "." + (number >> 8 & 255) + "." + (number & 255));
      service.subscribe(holder.clientId(), recalled::add);
    }

    /** Takes maps of these blocks. */
    void take(List<Long> wanted) {
      for (int from = 0; from < wanted.size(); from += ASKS) {
        List<Long> some = wanted.subList(from, Math.min(from + ASKS, wanted.size()));
        List<BlockAsk> asks = some.stream().map(ScaleSimulation::ask).toList();
        long start = cpu();
        List<GrantResult> results = service.grant(holder, asks, () -> false);
        grants = grants.plus(some.size(), cpu() - start);
        for (int i = 0; i < results.size(); i++) {
          if (!(results.get(i) instanceof GrantResult.Granted granted)) {
            throw new IllegalStateException(holder + " was refused: " + results.get(i));
          }
          leases.add(granted.leaseId());
          blocks.add(some.get(i));
        }
      }
    }

    void renew() {
      long[] ids = ids();
      long start = cpu();
      long[] terms = service.renew(holder.clientId(), service.incarnation(), ids);
      renewals = renewals.plus(ids.length, cpu() - start);
      renewalBytes += bytes(ids, terms);
      lost += Arrays.stream(terms).filter(term -> term == 0).count();
    }

    /** Of the request and its answer, without gRPC's framing. */
    private long bytes(long[] ids, long[] terms) {
      RenewRequest.Builder request =
          RenewRequest.newBuilder()
              .setClientId(holder.clientId())
              .setIncarnation(service.incarnation());
      RenewReply.Builder reply = RenewReply.newBuilder().setIncarnation(service.incarnation());
      for (int i = 0; i < ids.length; i++) {
        request.addLeaseIds(ids[i]);
        reply.addLeaseMillis(terms[i]);
      }
      return (long) request.build().getSerializedSize() + reply.build().getSerializedSize();
    }

    private long[] ids() {
      return leases.stream().mapToLong(Long::longValue).toArray();
    }

    void giveBackOldest() {
      blocks.remove();
      giveBack(new long[] {leases.remove()});
    }

    /** Returns what was recalled, and takes others instead. */
    void answerRecalls() {
      for (long[] ids : List.copyOf(recalled)) {
        for (long id : ids) {
          forget(id);
        }
        giveBack(ids);
      }
      recalled.clear();
    }

    private void forget(long id) {
      List<Long> keptLeases = new ArrayList<>();
      List<Long> keptBlocks = new ArrayList<>();
      while (!leases.isEmpty()) {
        long lease = leases.remove();
        long block = blocks.remove();
        if (lease != id) {
          keptLeases.add(lease);
          keptBlocks.add(block);
        }
      }
      leases.addAll(keptLeases);
      blocks.addAll(keptBlocks);
    }

    private void giveBack(long[] ids) {
      long start = cpu();
      service.giveBack(holder.clientId(), service.incarnation(), ids);
      returns = returns.plus(ids.length, cpu() - start);
    }

    /** Its leases have run out; it asks for the same maps. */
    void comeBack() {
      List<Long> wanted = List.copyOf(blocks);
      leases.clear();
      blocks.clear();
      take(wanted);
    }
  }

  private static BlockAsk ask(long block) {
    return new BlockAsk(new TokenedBlock(new BlockKey(POOL, block, GENERATION)));
  }

  private static long cpu() {
    return THREADS.getCurrentThreadCpuTime();
  }

  /** Blocks that a client does not have, each once; the popular ones more often. */
  private List<Long> draw(int count, Client client) {
    Set<Long> drawn = new LinkedHashSet<>();
    while (drawn.size() < count) {
      long block = popularity.rank(random);
      if (!client.blocks.contains(block)) {
        drawn.add(block);
      }
    }
    return List.copyOf(drawn);
  }

  /** All clients take their maps. */
  Work fill() {
    Work before = grants;
    clients.forEach(client -> client.take(draw(load.maps(), client)));
    return since(before, grants);
  }

  /** What a number of seconds brings when nothing happens. */
  void goOn(int seconds) throws IOException {
    for (int second = 0; second < seconds; second++) {
      nanos += TimeUnit.SECONDS.toNanos(1);
      for (int i = second % RENEWAL_SECONDS; i < clients.size(); i += RENEWAL_SECONDS) {
        clients.get(i).renew();
      }
      for (int i = 0; i < load.changes(); i++) {
        Client client = any();
        client.take(draw(1, client));
        client.giveBackOldest();
      }
      for (int i = 0; i < load.deletions(); i++) {
        delete();
      }
      long start = cpu();
      service.upkeep();
      upkeep = upkeep.plus(1, cpu() - start);
    }
  }

  private Client any() {
    return clients.get(random.nextInt(clients.size()));
  }

  /** A block that some client holds goes. */
  private void delete() throws IOException {
    Long block = any().blocks.peek();
    if (block == null) {
      return;
    }
    long before = service.counters().recalls();
    long start = cpu();
    try {
      service.recallBeforeChange(new BlockKey(POOL, block, GENERATION), 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a block was recalled");
    }
    recalls = recalls.plus(service.counters().recalls() - before, cpu() - start);
    clients.forEach(Client::answerRecalls);
  }

  /** All leases run out while the rack is away, and all clients come back at once. */
  Work storm() {
    nanos += TimeUnit.SECONDS.toNanos(OUTAGE_SECONDS);
    service.upkeep();
    Work before = grants;
    clients.forEach(Client::comeBack);
    return since(before, grants);
  }

  private static Work since(Work before, Work after) {
    return new Work(after.count() - before.count(), after.cpuNanos() - before.cpuNanos());
  }

  /** Of all that went on since the start. */
  Work grants() {
    return grants;
  }

  Work renewals() {
    return renewals;
  }

  Work returns() {
    return returns;
  }

  Work recalls() {
    return recalls;
  }

  /** One for each second. */
  Work upkeep() {
    return upkeep;
  }

  /** Of the messages of all renewals, both ways. */
  long renewalBytes() {
    return renewalBytes;
  }

  /** Leases that a client took for good and the DataNode did not renew. */
  long lost() {
    return lost;
  }

  /** Leases that the DataNode has. */
  int leases() {
    return service.leaseCount();
  }

  /** Bytes of the DataNode's heap for them and their pins. */
  long heapBytes() {
    return service.leaseHeapBytes();
  }

  @Override
  public void close() throws IOException {
    replicas.close();
  }
}
