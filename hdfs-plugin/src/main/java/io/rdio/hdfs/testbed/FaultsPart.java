// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Fabric.CLIENT_STORAGE_LINK;
import static io.rdio.hdfs.testbed.Fabric.DATANODE_STORAGE_LINK;
import static io.rdio.hdfs.testbed.Fabric.PARTITIONED;
import static io.rdio.hdfs.testbed.Fabric.VOLUME;
import static io.rdio.hdfs.testbed.Host.CLIENT;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Faults and changes of the fabric, one after the other. Whatever happens, the client must get the
 * bytes that were written; what RDIO does not carry must have a reason; and when the fault is over
 * RDIO must come back by itself.
 */
final class FaultsPart {
  private static final FileSet FILE = new FileSet("/faults/file", 1, 24L << 20);
  private static final FileSet ON_PARTITION =
      new FileSet(FabricHdfs.ON_PARTITION + "file", 1, 8L << 20);
  private static final FileSet LATER = new FileSet("/faults/later", 1, 1L << 20);

  /** In the middle of {@link #FILE}. */
  private static final long STRIKE_AT = 8L << 20;

  /** A search for a device that failed is not repeated for 10 s, a DataNode not asked for 5 s. */
  private static final Duration BACK_MAX = Duration.ofSeconds(60);

  /** Default of dfs.datanode.rdio.io.time.max: extents stay untouched so long after their lease. */
  private static final Duration IO_TIME_MAX = Duration.ofSeconds(60);

  private static final int POLL_MILLIS = 500;
  private static final double NANOS = 1e9;

  /** One fault from its beginning to RDIO's return. */
  private interface Scenario {
    Episode run(String name) throws IOException;
  }

  private final Fabric fabric;
  private final Client client;
  private final PrintStream out;
  private final List<Episode> episodes = new ArrayList<>();
  private String fileSha256 = "";
  private String partitionSha256 = "";

  private FaultsPart(Fabric fabric, Client client, PrintStream out) {
    this.fabric = fabric;
    this.client = client;
    this.out = out;
  }

  static FaultsPart run(Fabric fabric, Client client, PrintStream out) throws IOException {
    FaultsPart part = new FaultsPart(fabric, client, out);
    out.println("testbed: faults of the fabric, each in the middle of a read by RDIO");
    part.fileSha256 = client.write(FILE);
    client.choosePartition();
    part.partitionSha256 = client.write(ON_PARTITION);
    part.play("DataNode on a partition", part::partition);
    part.play("client's controller deleted", part::controllerDeleted);
    part.play("client's storage link down", part::clientLinkDown);
    part.play("DataNode's storage link down", part::dataNodeLinkDown);
    part.play("namespaces swapped at client", part::namespacesSwapped);
    part.play("namespace grown", part::namespaceGrown);
    part.play("namespace disabled", part::namespaceDisabled);
    return part;
  }

  private void play(String name, Scenario scenario) {
    Episode episode;
    try {
      episode = scenario.run(name);
    } catch (IOException e) {
      episode = Episode.failed(name, e);
    }
    episodes.add(episode);
    out.println("testbed: " + episode.line());
  }

  private Episode partition(String name) throws IOException {
    ReadOutcome outcome = client.read(true, ON_PARTITION);
    boolean ok = outcome.sha256().equals(partitionSha256) && outcome.allByRdio();
    return new Episode(name, ok, "", outcome, 0);
  }

  private Episode controllerDeleted(String name) throws IOException {
    ReadOutcome during = client.readWith(FILE, STRIKE_AT, () -> fabric.disconnect(CLIENT, VOLUME));
    fabric.connect(CLIENT, VOLUME);
    return judged(name, during, "");
  }

  /**
   * Down for longer than a command may take: the kernel gives it up after its I/O timeout and
   * fast_io_fail_tmo, which must be less than the time for which the DataNode leaves extents alone
   * behind a lease.
   */
  private Episode clientLinkDown(String name) throws IOException {
    ReadOutcome during =
        client.readWith(FILE, STRIKE_AT, () -> fabric.link(CLIENT, CLIENT_STORAGE_LINK, false));
    fabric.link(CLIENT, CLIENT_STORAGE_LINK, true);
    Episode episode = judged(name, during, "");
    boolean bounded = during.longestMillis() < IO_TIME_MAX.toMillis();
    return bounded
        ? episode
        : new Episode(name, false, "longer than io.time.max", during, episode.backSeconds());
  }

  /** The client has the map: it needs neither the DataNode's device nor stock HDFS. */
  private Episode dataNodeLinkDown(String name) throws IOException {
    fabric.link(Host.DATANODE, DATANODE_STORAGE_LINK, false);
    ReadOutcome during;
    try {
      during = client.read(true, FILE);
    } finally {
      fabric.link(Host.DATANODE, DATANODE_STORAGE_LINK, true);
    }
    boolean ok = during.sha256().equals(fileSha256) && during.allByRdio();
    return new Episode(name, ok, "", during, 0);
  }

  private Episode namespacesSwapped(String name) throws IOException {
    String before = fabric.device(CLIENT, VOLUME);
    String other = fabric.device(CLIENT, PARTITIONED);
    fabric.disconnect(CLIENT, VOLUME);
    fabric.disconnect(CLIENT, PARTITIONED);
    boolean volumeFirst = before.compareTo(other) > 0;
    fabric.connect(CLIENT, volumeFirst ? VOLUME : PARTITIONED, volumeFirst ? PARTITIONED : VOLUME);
    if (!fabric.device(CLIENT, VOLUME).equals(other)) {
      throw new IOException("the names were not exchanged: " + before + " and " + other);
    }
    return judged(name, client.read(true, FILE), before + " is now " + other);
  }

  /** The DataNode's file system stays as it was; a file that is new to the client is read. */
  private Episode namespaceGrown(String name) throws IOException {
    String sha256 = client.write(LATER);
    fabric.grow(VOLUME, 1300L << 20);
    ReadOutcome during = client.read(true, LATER);
    boolean ok =
        during.sha256().equals(sha256) && (during.allByRdio() || !during.fallbacks().isEmpty());
    return new Episode(name, ok, during.allByRdio() ? "by RDIO" : "refused", during, 0);
  }

  /** The DataNode has the file in its page cache, so stock HDFS can serve it. */
  private Episode namespaceDisabled(String name) throws IOException {
    client.read(false, ON_PARTITION);
    client.read(true, ON_PARTITION);
    fabric.namespace(PARTITIONED, false);
    fabric.addNodes(CLIENT);
    ReadOutcome during = client.read(true, ON_PARTITION);
    fabric.namespace(PARTITIONED, true);
    boolean ok = during.sha256().equals(partitionSha256) && !during.fallbacks().isEmpty();
    return new Episode(name, ok, "", during, 0);
  }

  /** Right bytes, a reason for those that were not RDIO's, and RDIO back. */
  private Episode judged(String name, ReadOutcome during, String detail) throws IOException {
    long start = System.nanoTime();
    ReadOutcome again = client.read(true, FILE);
    while (!again.allByRdio() && System.nanoTime() - start < BACK_MAX.toNanos()) {
      pause();
      again = client.read(true, FILE);
    }
    double seconds = (System.nanoTime() - start) / NANOS;
    boolean right = during.sha256().equals(fileSha256) && again.sha256().equals(fileSha256);
    boolean told = during.allByRdio() || !during.fallbacks().isEmpty();
    String what =
        !right
            ? "WRONG BYTES "
            : !told ? "no reason counted " : again.allByRdio() ? "" : "RDIO is not back ";
    return new Episode(name, what.isEmpty(), what + detail, during, seconds);
  }

  private static void pause() throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for RDIO to come back");
    }
  }

  /** For the JSON. */
  List<Map<String, Object>> fields() {
    return episodes.stream().map(Episode::fields).toList();
  }

  boolean allOk() {
    return episodes.stream().allMatch(Episode::ok);
  }
}
