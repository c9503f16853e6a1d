// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Fabric.PARTITIONED;
import static io.rdio.hdfs.testbed.Fabric.VOLUME;
import static io.rdio.hdfs.testbed.Host.CLIENT;
import static io.rdio.hdfs.testbed.Host.DATANODE;

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

  /** More than the guest gave the volume's namespace. */
  private static final long GROWN_BYTES = 1300L << 20;

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
    out.println("testbed: faults and changes of the fabric, and a read by RDIO through each");
    part.fileSha256 = client.write(FILE);
    client.choosePartition();
    part.partitionSha256 = client.write(ON_PARTITION);
    part.play("DataNode on a partition", part::partition);
    part.play("namespaces swapped at client", part::namespacesSwapped);
    part.play("client's controller deleted", part::controllerDeleted);
    part.play("client's storage link down", part::clientLinkDown);
    part.play("DataNode's storage link down", part::dataNodeLinkDown);
    part.play("namespace disabled", part::namespaceDisabled);
    part.play("namespace grown", part::namespaceGrown);
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

  /**
   * Both namespaces go and come back in the other order, each under the name that the other had. A
   * name is free again only when nobody has the old device open any more.
   */
  private Episode namespacesSwapped(String name) throws IOException {
    String volume = fabric.device(CLIENT, VOLUME);
    String other = fabric.device(CLIENT, PARTITIONED);
    fabric.disconnect(CLIENT, VOLUME);
    fabric.disconnect(CLIENT, PARTITIONED);
    ReadOutcome during = client.read(true, FILE);
    ReadOutcome duringPartition = client.read(true, ON_PARTITION);
    client.collectGarbage();
    fabric.connect(CLIENT, VOLUME, PARTITIONED);
    String now = fabric.device(CLIENT, VOLUME);
    if (!now.equals(other) || !fabric.device(CLIENT, PARTITIONED).equals(volume)) {
      throw new IOException(
          "names were not exchanged: the volume was " + volume + " and is " + now);
    }
    Episode episode = judged(name, during, FILE, fileSha256, volume + " <-> " + other);
    Episode partition =
        judged(name, duringPartition, ON_PARTITION, partitionSha256, "the other volume's file");
    return partition.ok() ? episode : partition;
  }

  private Episode controllerDeleted(String name) throws IOException {
    ReadOutcome during = client.readWith(FILE, STRIKE_AT, () -> fabric.disconnect(CLIENT, VOLUME));
    fabric.connect(CLIENT, VOLUME);
    return judged(name, during, FILE, fileSha256, "");
  }

  /**
   * Down for longer than a command may take: the kernel gives it up after its I/O timeout and
   * fast_io_fail_tmo, which must be less than the time for which the DataNode leaves extents alone
   * behind a lease.
   */
  private Episode clientLinkDown(String name) throws IOException {
    ReadOutcome during;
    try {
      during = client.readWith(FILE, STRIKE_AT, () -> fabric.storageLink(CLIENT, false));
    } finally {
      fabric.storageLink(CLIENT, true);
    }
    Episode episode = judged(name, during, FILE, fileSha256, "");
    return during.longestMillis() < IO_TIME_MAX.toMillis()
        ? episode
        : new Episode(name, false, "longer than io.time.max", during, episode.backSeconds());
  }

  /** The client has the map: it needs neither the DataNode's device nor stock HDFS. */
  private Episode dataNodeLinkDown(String name) throws IOException {
    fabric.storageLink(DATANODE, false);
    ReadOutcome during;
    try {
      during = client.read(true, FILE);
    } finally {
      fabric.storageLink(DATANODE, true);
    }
    boolean ok = during.sha256().equals(fileSha256) && during.allByRdio();
    return new Episode(name, ok, ok ? "" : "not all by RDIO", during, 0);
  }

  /**
   * The DataNode's kernel must not see it, or its file system would be lost until it is mounted
   * again: its link is down meanwhile, and it serves the file from its page cache.
   */
  private Episode namespaceDisabled(String name) throws IOException {
    client.read(false, ON_PARTITION);
    fabric.storageLink(DATANODE, false);
    ReadOutcome during;
    try {
      fabric.namespace(PARTITIONED, false);
      during = client.read(true, ON_PARTITION);
    } finally {
      fabric.namespace(PARTITIONED, true);
      fabric.storageLink(DATANODE, true);
    }
    return judged(name, during, ON_PARTITION, partitionSha256, "");
  }

  /** The DataNode's file system stays as it was; a file that is new to the client is read. */
  private Episode namespaceGrown(String name) throws IOException {
    String sha256 = client.write(LATER);
    fabric.grow(VOLUME, GROWN_BYTES);
    ReadOutcome during = client.read(true, LATER);
    boolean right = during.sha256().equals(sha256);
    boolean told = during.allByRdio() || !during.fallbacks().isEmpty();
    String detail = during.allByRdio() ? "by RDIO" : "refused";
    return new Episode(name, right && told, right ? detail : "WRONG BYTES", during, 0);
  }

  /** Right bytes, a reason for those that were not RDIO's, and RDIO back. */
  private Episode judged(
      String name, ReadOutcome during, FileSet files, String sha256, String detail)
      throws IOException {
    long start = System.nanoTime();
    ReadOutcome again = client.read(true, files);
    while (!again.allByRdio() && System.nanoTime() - start < BACK_MAX.toNanos()) {
      pause();
      fabric.addNodes(CLIENT);
      again = client.read(true, files);
    }
    double seconds = (System.nanoTime() - start) / NANOS;
    List<String> wrong = new ArrayList<>();
    if (!during.sha256().equals(sha256) || !again.sha256().equals(sha256)) {
      wrong.add("WRONG BYTES");
    }
    if (during.fallbacks().isEmpty()) {
      wrong.add("no reason counted");
    }
    if (!again.allByRdio()) {
      wrong.add("RDIO is not back: " + again.fallbacks());
    }
    return new Episode(name, wrong.isEmpty(), String.join(", ", wrong) + detail, during, seconds);
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
