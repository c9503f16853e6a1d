// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.bench.workload.Zipf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.ToLongFunction;

/**
 * A part of a large cluster in one JVM, on a clock that jumps and without a network. Nothing is
 * scaled up: what is simulated in full has the load that it would have in all of the cluster.
 *
 * <ul>
 *   <li>In full, by RDIO's own code: some DataNodes ({@link FullDataNode}) and some hosts ({@link
 *       FullHost}). The hosts read from all DataNodes.
 *   <li>As stand-ins: the other DataNodes, which the full hosts need ({@link StandInDataNode}), and
 *       the other clients, which the full DataNodes need, one for each client and full DataNode
 *       ({@link StandInClient}). Of these no work is counted. Stand-ins recall as many leases as
 *       full DataNodes do.
 *   <li>Not at all: stand-ins' calls to each other, sockets, TLS and block tokens, HDFS, disks (a
 *       request for grants takes a thread as long as {@link ClusterLoad#grantNanos} says; files are
 *       linked in memory), and what an agent does for its processes.
 * </ul>
 *
 * <p>Chance is the same each time, but for the numbers of leases and how long a host remembers that
 * a block was refused. For one thread.
 */
final class ClusterSimulation implements AutoCloseable {
  /** Within so many seconds all clients come, in the beginning. */
  static final int COMING_SECONDS = 60;

  /** Longer than any lease. */
  static final int OUTAGE_SECONDS = 180;

  /** Whoever has no map after so many seconds will not have it soon. */
  static final int SECONDS_MAX = 600;

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final double ZIPF_EXPONENT = 0.99;

  private final ClusterLoad load;
  private final SplittableRandom random = new SplittableRandom(1);
  private final VirtualTime time = new VirtualTime();
  private final SimulatedNetwork network = new SimulatedNetwork(time);
  private final List<FullDataNode> dataNodes = new ArrayList<>();
  private final List<StandInDataNode> otherDataNodes = new ArrayList<>();
  private final List<FullHost> hosts = new ArrayList<>();

  /** Those of each full DataNode. */
  private final List<List<StandInClient>> clients = new ArrayList<>();

  private double filesToChange;
  private double blocksToDelete;
  private double leasesToRecall;
  private long recalled;

  /**
   * What a second brought.
   *
   * @param grants of that full DataNode that granted most
   * @param loads maps that the full hosts loaded
   * @param missing maps that are wanted and not there at its end
   * @param leases of the full DataNodes at its end
   * @param maps of the full hosts at its end
   */
  record Second(long grants, long loads, int missing, long leases, long maps) {}

  /**
   * Some seconds.
   *
   * @param dataNodes what the full ones did in them, all together
   * @param hosts the same of the full hosts
   * @param refusedAsBusy calls that DataNodes had no room for
   */
  record Phase(List<Second> seconds, Costs dataNodes, Costs hosts, long refusedAsBusy) {
    long sum(ToLongFunction<Second> what) {
      return seconds.stream().mapToLong(what).sum();
    }

    /** After how many seconds at most so many maps were missing. */
    int until(long missing) {
      int count = 0;
      while (count < seconds.size() && seconds.get(count).missing() > missing) {
        count++;
      }
      return Math.min(count + 1, seconds.size());
    }
  }

  ClusterSimulation(ClusterLoad load) throws IOException {
    this.load = load;
    Zipf popularity = new Zipf(load.files(), ZIPF_EXPONENT);
    for (int i = 0; i < load.dataNodes(); i++) {
      network.add(ClusterLoad.endpoint(i), dataNode(i));
    }
    for (int i = 0; i < load.fullHosts(); i++) {
      hosts.add(new FullHost(i, load, time, network, popularity, random.split()));
    }
    for (int i = 0; i < load.fullDataNodes(); i++) {
      List<StandInClient> some = new ArrayList<>();
      for (int number = load.fullHosts(); number < load.clients(); number++) {
        some.add(new StandInClient(number, i, load, time, network, popularity, random.split()));
      }
      clients.add(some);
    }
  }

  private SimulatedNetwork.Peer dataNode(int number) throws IOException {
    if (number < load.fullDataNodes()) {
      FullDataNode full = new FullDataNode(load, time);
      dataNodes.add(full);
      return full;
    }
    StandInDataNode other = new StandInDataNode(number);
    otherDataNodes.add(other);
    return other;
  }

  /** All clients come, and take their maps. */
  Phase come() throws IOException {
    hosts.forEach(FullHost::start);
    for (List<StandInClient> some : clients) {
      for (StandInClient client : some) {
        time.after(random.nextLong(COMING_SECONDS * SECOND), client::want);
      }
    }
    return run(count -> count < COMING_SECONDS || isMissing(count, load.dataNodes()), false);
  }

  /** Clients read, take other maps, and see blocks deleted. */
  Phase goOn(int seconds) throws IOException {
    return run(count -> count < seconds, true);
  }

  /**
   * A rack is cut off until all leases on it have run out and its DataNodes have been started anew;
   * then it is there again.
   *
   * @return what follows, until all have their maps again
   */
  Phase storm() throws IOException {
    for (int i = 0; i < load.rack(); i++) {
      network.cut(ClusterLoad.endpoint(i));
    }
    dataNodes.forEach(FullDataNode::stop);
    time.pass(OUTAGE_SECONDS * SECOND);
    dataNodes.forEach(FullDataNode::restart);
    for (int i = 0; i < load.rack() - load.fullDataNodes(); i++) {
      otherDataNodes.get(i).restart();
    }
    for (int i = 0; i < load.rack(); i++) {
      network.mend(ClusterLoad.endpoint(i));
    }
    return run(count -> count == 0 || isMissing(count, load.rack()), false);
  }

  private boolean isMissing(int seconds, int someDataNodes) {
    return seconds < SECONDS_MAX && missing(someDataNodes) > 0;
  }

  private Phase run(IntPredicate more, boolean changing) throws IOException {
    takeCosts();
    long refused = network.refusedAsBusy();
    List<Second> seconds = new ArrayList<>();
    while (more.test(seconds.size())) {
      if (changing) {
        change();
      }
      seconds.add(second());
    }
    Costs ofDataNodes = new Costs();
    dataNodes.forEach(one -> ofDataNodes.addAll(one.takeCosts()));
    Costs ofHosts = new Costs();
    hosts.forEach(one -> ofHosts.addAll(one.takeCosts()));
    return new Phase(seconds, ofDataNodes, ofHosts, network.refusedAsBusy() - refused);
  }

  private void takeCosts() {
    dataNodes.forEach(FullDataNode::takeCosts);
    hosts.forEach(FullHost::takeCosts);
  }

  private Second second() {
    long[] granted = dataNodes.stream().mapToLong(FullDataNode::granted).toArray();
    long loaded = loads();
    time.pass(SECOND);
    long most = 0;
    for (int i = 0; i < granted.length; i++) {
      most = Math.max(most, dataNodes.get(i).granted() - granted[i]);
    }
    return new Second(
        most,
        loads() - loaded,
        missing(load.rack()),
        dataNodes.stream().mapToLong(FullDataNode::leases).sum(),
        hosts.stream().mapToLong(FullHost::leases).sum());
  }

  private long loads() {
    return hosts.stream().mapToLong(FullHost::loads).sum();
  }

  /** Maps that clients want and do not have; of full hosts those of the first DataNodes only. */
  private int missing(int someDataNodes) {
    int missing = 0;
    for (FullHost host : hosts) {
      missing += host.missing(someDataNodes);
    }
    for (List<StandInClient> some : clients) {
      for (StandInClient client : some) {
        missing += client.missing();
      }
    }
    return missing;
  }

  private void change() throws IOException {
    filesToChange += load.changes() / ClusterLoad.FILE_BLOCKS;
    int files = (int) filesToChange;
    filesToChange -= files;
    blocksToDelete += load.deletions();
    int blocks = (int) blocksToDelete;
    blocksToDelete -= blocks;
    for (int i = 0; i < dataNodes.size(); i++) {
      change(dataNodes.get(i), clients.get(i), files, blocks);
    }
    recallOnOthers();
  }

  /** Stand-ins recall as many leases of a full host as full DataNodes do of their clients. */
  private void recallOnOthers() {
    long now = dataNodes.stream().mapToLong(FullDataNode::recalled).sum();
    double ofAClient = (double) (now - recalled) / dataNodes.size() / load.clients();
    recalled = now;
    leasesToRecall += ofAClient * otherDataNodes.size() * hosts.size();
    int leases = (int) leasesToRecall;
    leasesToRecall -= leases;
    for (int i = 0; i < leases && !otherDataNodes.isEmpty(); i++) {
      otherDataNodes
          .get(random.nextInt(otherDataNodes.size()))
          .recall(ClusterLoad.clientId(random.nextInt(hosts.size())));
    }
  }

  private void change(FullDataNode dataNode, List<StandInClient> some, int files, int blocks)
      throws IOException {
    for (int i = 0; i < files; i++) {
      any(some).change();
    }
    for (int i = 0; i < blocks; i++) {
      long block = any(some).anyBlock();
      if (block >= 0) {
        dataNode.delete(block);
      }
    }
  }

  private StandInClient any(List<StandInClient> some) {
    return some.get(random.nextInt(some.size()));
  }

  /** Leases that a stand-in took for good, and that were neither renewed nor recalled. */
  long lost() {
    return clients.stream().flatMap(List::stream).mapToLong(StandInClient::lost).sum();
  }

  /** How often full hosts asked their locator where a block is. */
  long locatorQuestions() {
    return hosts.stream().mapToLong(host -> host.locator().questions()).sum();
  }

  /** How often a NameNode would have been asked for that. */
  long nameNodeCalls() {
    return hosts.stream().mapToLong(host -> host.locator().nameNodeCalls()).sum();
  }

  /** Reads of full hosts that were left to stock HDFS. */
  long refusals() {
    return hosts.stream().mapToLong(FullHost::refusals).sum();
  }

  /** Bytes of the heap for leases and pins, of a full DataNode. */
  double heapOfDataNode() {
    return dataNodes.stream().mapToLong(FullDataNode::heapBytes).average().orElse(0);
  }

  /** Bytes of the heap for maps, of a full host. */
  double heapOfHost() {
    return hosts.stream().mapToLong(FullHost::heapBytes).average().orElse(0);
  }

  @Override
  public void close() throws IOException {
    hosts.forEach(FullHost::close);
    for (FullDataNode dataNode : dataNodes) {
      dataNode.close();
    }
  }
}
