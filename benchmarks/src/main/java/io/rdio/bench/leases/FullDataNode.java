// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.datanode.grant.GrantService;
import io.rdio.datanode.server.MetadataServerLimits;
import io.rdio.hdfs.carried.CallEnd;
import io.rdio.hdfs.carried.CarriedPlane;
import io.rdio.hdfs.carried.Carrier;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A DataNode as it is: the metadata plane's calls with their bounds, the grant service, its lease
 * table and its pinner, with links of files in memory. It has no port, no tokens and no HDFS. Its
 * grant threads take as long for a request as the load says; all that it does is done, and its
 * processor time taken, on the thread of the events.
 *
 * <p>There is room for all clients: connections and streams of recalls are bounded by their number
 * where that is above the bounds that a DataNode has by default.
 */
final class FullDataNode implements SimulatedNetwork.Peer, AutoCloseable {
  private static final int GRANT_THREADS = 8;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int CONNECTIONS = 4096;
  private static final int GRANTS_WAITING = 256;

  private final ClusterLoad load;
  private final VirtualTime time;
  private final PinnedReplicas replicas = new PinnedReplicas();
  private Incarnation present;
  private boolean stopped;
  private Costs costs = new Costs();

  /** What ends with the DataNode's process. */
  private record Incarnation(GrantService service, CarriedPlane plane) {}

  FullDataNode(ClusterLoad load, VirtualTime time) throws IOException {
    this.load = load;
    this.time = time;
    this.present = incarnation();
    keepUp(present);
  }

  private Incarnation incarnation() {
    GrantService service = LeaseSteps.service(replicas, time);
    service.sweep();
    VirtualThreads threads = new VirtualThreads(time, GRANT_THREADS, load.grantNanos());
    CarriedPlane plane =
        new CarriedPlane(
            service, limits(), task -> threads.execute(() -> grant(service, task)), time::nanos);
    return new Incarnation(service, plane);
  }

  private MetadataServerLimits limits() {
    int connections = Math.max(CONNECTIONS, load.clients());
    return new MetadataServerLimits(
        connections,
        256,
        connections,
        GRANTS_WAITING,
        1024,
        200,
        Duration.ofSeconds(20),
        Duration.ofMinutes(10));
  }

  private void keepUp(Incarnation mine) {
    time.after(
        SECOND,
        () -> {
          if (mine.equals(present) && !stopped) {
            long start = Cost.cpu();
            mine.service().upkeep();
            costs.add("upkeep", new Cost(1, mine.service().leaseCount(), Cost.cpu() - start, 0));
            keepUp(mine);
          }
        });
  }

  private void grant(GrantService service, Runnable task) {
    long before = service.counters().grants();
    long start = Cost.cpu();
    task.run();
    long nanos = Cost.cpu() - start;
    costs.add("Grant", new Cost(0, service.counters().grants() - before, nanos, 0));
  }

  @Override
  public Carrier.Call serve(
      InetAddress client, String method, byte[] request, Carrier.Answers answers) {
    String kind = method.substring(SimulatedNetwork.SERVICE.length());
    GrantService service = present.service();
    long renewed = service.counters().renewals();
    int leases = service.leaseCount();
    long start = Cost.cpu();
    Carrier.Call call = present.plane().serve(client, method, request, new Counted(kind, answers));
    long nanos = Cost.cpu() - start;
    long returned = Math.max(0, leases - service.leaseCount());
    long units = service.counters().renewals() - renewed + returned;
    costs.add(kind, new Cost(1, units, nanos, request.length));
    return call;
  }

  private final class Counted implements Carrier.Answers {
    private final String kind;
    private final Carrier.Answers caller;

    Counted(String kind, Carrier.Answers caller) {
      this.kind = kind;
      this.caller = caller;
    }

    @Override
    public void message(byte[] bytes) {
      costs.add(kind, new Cost(0, 0, 0, bytes.length));
      caller.message(bytes);
    }

    @Override
    public void ended(CallEnd end) {
      caller.ended(end);
    }
  }

  /** HDFS is about to delete a block. */
  void delete(long block) throws IOException {
    GrantService service = present.service();
    long before = service.counters().recalls();
    long start = Cost.cpu();
    try {
      service.recallBeforeChange(ClusterLoad.key(block), 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a block was recalled");
    }
    long nanos = Cost.cpu() - start;
    costs.add("recall", new Cost(1, service.counters().recalls() - before, nanos, 0));
  }

  /** Its process ends, whatever it was about to do. */
  void stop() {
    stopped = true;
  }

  /** A new process takes the volume, with the links that the old one left. */
  void restart() {
    stopped = false;
    present = incarnation();
    keepUp(present);
  }

  /** What was done since the last time that this was asked. */
  Costs takeCosts() {
    Costs taken = costs;
    costs = new Costs();
    return taken;
  }

  int leases() {
    return present.service().leaseCount();
  }

  /** Leases granted by the present process. */
  long granted() {
    return present.service().counters().grants();
  }

  /** Leases recalled by the present process. */
  long recalled() {
    return present.service().counters().recalls();
  }

  /** Bytes of the heap for leases and pins. */
  long heapBytes() {
    return present.service().leaseHeapBytes();
  }

  @Override
  public void close() throws IOException {
    replicas.close();
  }
}
