// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.bench.workload.Zipf;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.filemap.FileMapCache;
import io.rdio.client.filemap.FileMapSettings;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.grant.GrantPlane;
import io.rdio.client.plane.grant.MetadataClientSettings;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.hdfs.carried.CallEnd;
import io.rdio.hdfs.carried.CarriedChannels;
import io.rdio.hdfs.carried.Carrier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A host as its agent is towards DataNodes: the FileMap cache and the metadata plane of grants with
 * all their sessions, renewals, recalls and back-offs, as the agent holds them. It has no devices,
 * no processes and no segments, which have no part in leases: a few readers use each of its maps
 * again and again. For one thread at a time, of which the readers have one each ({@link Turn}).
 */
final class FullHost implements AutoCloseable {
  /** After so long each map that a host has is read by again. */
  static final long READ_EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * DataNodes are dealt out to them: none waits for what another one asks for, and few wait for
   * DataNodes of a rack that is away.
   */
  private static final int READERS = 20;

  private static final int PREFETCH = 8;
  private static final Duration BACK_OFF = Duration.ofSeconds(30);
  private static final Duration QUARANTINE = Duration.ofMinutes(10);
  private static final Duration MARGIN = Duration.ofSeconds(2);
  private static final Set<String> WAITED_FOR = Set.of("Hello", "OpenSession", "Grant");

  private final ClusterLoad load;
  private final VirtualTime time;
  private final SimulatedNetwork network;
  private final Zipf popularity;
  private final SplittableRandom random;
  private final InetAddress address;
  private final ClientCounters counters = new ClientCounters();
  private final HostLocator locator;
  private final FileMapCache maps;
  private final List<Turn> readers = new ArrayList<>();

  /** The files of each DataNode that are read. */
  private final int[][] files;

  private final double changesAVisit;
  private Costs costs = new Costs();
  private long loadsTaken;
  private long recallsTaken;
  private long refusals;

  FullHost(
      int number,
      ClusterLoad load,
      VirtualTime time,
      SimulatedNetwork network,
      Zipf popularity,
      SplittableRandom random) {
    this.load = load;
    this.time = time;
    this.network = network;
    this.popularity = popularity;
    this.random = random;
    this.address = ClusterLoad.address(number);
    this.locator = new HostLocator(load);
    this.maps = maps(ClusterLoad.clientId(number));
    this.files = new int[load.dataNodes()][load.filesHeld()];
    for (int[] some : files) {
      for (int i = 0; i < some.length; i++) {
        some[i] = newFile(some, i);
      }
    }
    double filesASecond = load.changes() / ClusterLoad.FILE_BLOCKS / load.clients();
    this.changesAVisit = filesASecond * TimeUnit.NANOSECONDS.toSeconds(READ_EVERY_NANOS);
  }

  private FileMapCache maps(String id) {
    Duration patience = Duration.ofNanos(SimulatedNetwork.PATIENCE_NANOS);
    GrantPlane plane =
        new GrantPlane(
            new MetadataClientSettings(
                id, patience, BACK_OFF, MARGIN, ProtocolRange.SUPPORTED, true),
            DataNodeId::host,
            new CarriedChannels(this::carry),
            time,
            counters,
            random::nextDouble);
    return new FileMapCache(
        new FileMapSettings(1L << 30, PREFETCH, patience, BACK_OFF, QUARANTINE),
        locator,
        plane,
        new FileMapCache.Surroundings(
            time,
            counters,
            map -> {},
            command -> {
              throw new RejectedExecutionException("all readers here wait for their maps");
            }),
        (name, work, failures) -> new VirtualKeeper(time, () -> tend(work)));
  }

  /** One that is not among the first so many of some. */
  private int newFile(int[] some, int count) {
    int file = popularity.rank(random);
    while (isAmong(file, some, count)) {
      file = popularity.rank(random);
    }
    return file;
  }

  private static boolean isAmong(int file, int[] some, int count) {
    for (int i = 0; i < count; i++) {
      if (some[i] == file) {
        return true;
      }
    }
    return false;
  }

  /** Its readers begin. */
  void start() {
    maps.start();
    for (int i = 0; i < READERS && i < load.dataNodes(); i++) {
      int reader = i;
      Turn turn = Turn.of("rdio-simulated-reader", () -> readForever(reader));
      readers.add(turn);
      time.after(random.nextLong(READ_EVERY_NANOS), turn::goOn);
    }
  }

  /** Until its turn is ended, where it waits. */
  private void readForever(int reader) {
    Turn turn = Objects.requireNonNull(Turn.current());
    int mine = (load.dataNodes() - reader + READERS - 1) / READERS;
    int dataNode = reader;
    while (true) {
      visit(dataNode);
      time.after(READ_EVERY_NANOS / mine, turn::goOn);
      turn.await();
      dataNode = dataNode + READERS < load.dataNodes() ? dataNode + READERS : reader;
    }
  }

  /** Reads all files of a DataNode that are read at present, and sometimes begins with another. */
  private void visit(int dataNode) {
    int[] mine = files[dataNode];
    if (random.nextDouble() < changesAVisit) {
      mine[random.nextInt(mine.length)] = newFile(mine, mine.length);
    }
    for (int file : mine) {
      long first = load.firstBlock(dataNode, file);
      for (int i = 0; i < ClusterLoad.FILE_BLOCKS; i++) {
        read(new BlockRequest(new TokenedBlock(ClusterLoad.key(first + i)), "/" + first));
      }
    }
  }

  private void read(BlockRequest request) {
    boolean here = maps.holds(request.block());
    long start = here ? 0 : Cost.cpu();
    try {
      maps.get(request);
    } catch (FallbackException e) {
      refusals++; // stock HDFS serves that read
    }
    if (!here) {
      costs.add("load", new Cost(1, 0, Cost.cpu() - start, 0));
    }
  }

  private long tend(LongSupplier work) {
    long start = Cost.cpu();
    long pause = work.getAsLong();
    costs.add("tend", new Cost(1, 0, Cost.cpu() - start, 0));
    return pause;
  }

  /** Calls that the real code waits for are waited for, the others are answered by events. */
  private Carrier.Call carry(
      String endpoint, String method, byte[] request, Carrier.Answers answers) {
    String kind = method.substring(SimulatedNetwork.SERVICE.length());
    costs.add(kind, new Cost(1, 0, 0, request.length));
    Turn turn = Turn.current();
    if (turn == null || !WAITED_FOR.contains(kind)) {
      return network.send(address, endpoint, method, request, new Charged(kind, answers));
    }
    Waited waited = new Waited(kind, turn);
    Carrier.Call call = network.send(address, endpoint, method, request, waited);
    turn.await();
    waited.tell(answers);
    return call;
  }

  /** Answers that a reader waits for. */
  private final class Waited implements Carrier.Answers {
    private final String kind;
    private final Turn turn;
    private final List<byte[]> messages = new ArrayList<>();
    private @Nullable CallEnd end;

    Waited(String kind, Turn turn) {
      this.kind = kind;
      this.turn = turn;
    }

    @Override
    public void message(byte[] bytes) {
      costs.add(kind, new Cost(0, 0, 0, bytes.length));
      messages.add(bytes);
    }

    @Override
    public void ended(CallEnd how) {
      end = how;
      turn.goOn();
    }

    void tell(Carrier.Answers caller) {
      messages.forEach(caller::message);
      caller.ended(Objects.requireNonNull(end));
    }
  }

  /** Answers for which nobody waits; what the host does about them is charged to it. */
  private final class Charged implements Carrier.Answers {
    private final String kind;
    private final Carrier.Answers caller;

    Charged(String kind, Carrier.Answers caller) {
      this.kind = kind;
      this.caller = caller;
    }

    @Override
    public void message(byte[] bytes) {
      charge(() -> caller.message(bytes));
      costs.add(kind, new Cost(0, renewals(bytes), 0, bytes.length));
    }

    private long renewals(byte[] bytes) {
      try {
        return kind.equals("Renew") ? RenewReply.parseFrom(bytes).getLeaseMillisCount() : 0;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void ended(CallEnd end) {
      charge(() -> caller.ended(end));
    }

    private void charge(Runnable work) {
      long start = Cost.cpu();
      work.run();
      costs.add(kind, new Cost(0, 0, Cost.cpu() - start, 0));
    }
  }

  /** What was done since the last time that this was asked; of loads the units are maps. */
  Costs takeCosts() {
    long loads = counters.mapLoads.sum();
    costs.add("load", new Cost(0, loads - loadsTaken, 0, 0));
    loadsTaken = loads;
    long recalls = counters.recalls.sum();
    costs.add("recall", new Cost(0, recalls - recallsTaken, 0, 0));
    recallsTaken = recalls;
    Costs taken = costs;
    costs = new Costs();
    return taken;
  }

  /** Leases that it holds, of all DataNodes. */
  int leases() {
    return maps.leasesHeld();
  }

  /** Maps that its readers had until now, each time that they were loaded. */
  long loads() {
    return counters.mapLoads.sum();
  }

  /** Reads that were left to stock HDFS. */
  long refusals() {
    return refusals;
  }

  /** Bytes of the heap for its maps. */
  long heapBytes() {
    return maps.weightedBytes();
  }

  /** What it asked about where blocks are. */
  HostLocator locator() {
    return locator;
  }

  /** Maps of the first so many DataNodes that its readers want and do not have. */
  int missing(int dataNodes) {
    int missing = 0;
    for (int dataNode = 0; dataNode < dataNodes; dataNode++) {
      for (int file : files[dataNode]) {
        long first = load.firstBlock(dataNode, file);
        for (int i = 0; i < ClusterLoad.FILE_BLOCKS; i++) {
          missing += maps.holds(ClusterLoad.key(first + i)) ? 0 : 1;
        }
      }
    }
    return missing;
  }

  @Override
  public void close() {
    readers.forEach(Turn::end);
    maps.close();
  }
}
