// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.it.Maps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the DataNodes of a cluster make of files of deleted blocks, from look to look: a DataNode
 * that is killed counts from zero again, so that what it did behind the last look is not known.
 */
final class RecycledFiles {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Cluster cluster;

  /** By DataNode: what it counted when it was asked last. */
  private final Map<Integer, Long> counted = new HashMap<>();

  /** By DataNode and slot: the blocks that this very file was kept for when somebody looked. */
  private final Map<String, Set<String>> blocks = new HashMap<>();

  private long taken;

  RecycledFiles(Cluster cluster) {
    this.cluster = cluster;
  }

  /**
   * One of the metrics of a DataNode's plugin.
   *
   * @throws IOException if its page does not show it, as when it has just been started
   */
  static long metric(Cluster cluster, int dataNode, String name) throws IOException {
    Object value = cluster.dataNode(dataNode).jmx("Hadoop:name=RdioDataNode-*,*").get(name);
    if (value instanceof Number number) {
      return number.longValue();
    }
    throw new IOException("DataNode " + dataNode + " has no metric " + name);
  }

  /** Skips the test where nothing is recycled, for slots cost no zeros. */
  void requireZeros() throws IOException {
    await("slots are made")
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() -> metric(cluster, 0, "SlotsMade") > 0);
    Requirements.require(
        metric(cluster, 0, "SlotsZeroed") > 0, "the device writes zeroes by itself");
  }

  /** Looks at all DataNodes. */
  void look() throws IOException {
    for (int i = 0; i < cluster.dataNodes(); i++) {
      for (Path link : kept(cluster.volume(i).mountPoint().resolve("data/rdio"))) {
        String[] name = link.getFileName().toString().split("\\.", -1);
        blocks.computeIfAbsent(i + " " + name[0], slot -> new HashSet<>()).add(name[2]);
      }
      count(i);
    }
  }

  private void count(int dataNode) {
    long now;
    try {
      now = metric(cluster, dataNode, "SlotsRecycled");
    } catch (IOException e) {
      return; // not there yet: the next look may find it
    }
    Long before = counted.put(dataNode, now);
    taken += before == null || now < before ? now : now - before;
  }

  /** Files that DataNodes took to be slots again, as far as was seen. */
  long taken() {
    return taken;
  }

  /** Files that were seen as a block's, and later as another one's. */
  long reborn() {
    return blocks.values().stream().filter(of -> of.size() > 1).count();
  }

  private static List<Path> kept(Path rdio) throws IOException {
    return Maps.files(rdio.resolve("slots/kept"));
  }

  /**
   * What is kept, and of no block any more.
   *
   * @param rdio the folder of RDIO's on a volume
   */
  static List<Path> keptAlone(Path rdio) throws IOException {
    List<Path> alone = new ArrayList<>();
    for (Path link : kept(rdio)) {
      if (isAlone(link)) {
        alone.add(link);
      }
    }
    return alone;
  }

  private static boolean isAlone(Path link) throws IOException {
    try {
      return Files.getAttribute(link, "unix:nlink").equals(1);
    } catch (NoSuchFileException e) {
      return false; // it went meanwhile
    }
  }

  @Override
  public String toString() {
    return taken + " files of deleted blocks taken, " + reborn() + " of them seen as others' later";
  }
}
