// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The clusters that the test classes of a JVM share: each is started when it is first asked for,
 * and ended with the JVM, or when too many are up and nobody asked for it for the longest time. Not
 * thread-safe: classes run one after the other.
 */
public final class SharedClusters implements AutoCloseable {
  /** As many as a class asks for; each takes about a gigabyte. */
  private static final int UP_MAX = 4;

  /** A cluster that is up. */
  private record Up(Cluster cluster, CleanSlate slate) {}

  /** Whether this JVM has its one. */
  private static final AtomicBoolean MADE = new AtomicBoolean();

  private final Map<Shape, Up> up = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * The one of this JVM.
   *
   * @throws IllegalStateException if there was one: its classes do not share then, which nobody
   *     would see but by the time that it takes
   */
  SharedClusters() {
    if (!MADE.compareAndSet(false, true)) {
      throw new IllegalStateException(
          "the test classes of this JVM do not share their clusters: keep them for as long as the"
              + " launcher's session");
    }
  }

  /**
   * A cluster of this shape, without a file or a lease. The caller does not close it.
   *
   * @throws IOException if it does not come up
   */
  public Cluster of(Shape shape) throws IOException {
    Requirements.requireLoop(shape.fileSystem);
    Up there = up.get(shape);
    if (there == null) {
      if (up.size() == UP_MAX) {
        close(up.keySet().iterator().next());
      }
      there = start(shape);
      up.put(shape, there);
    }
    return there.cluster();
  }

  private static Up start(Shape shape) throws IOException {
    Cluster cluster = shape.builder().start();
    try {
      CleanSlate slate = CleanSlate.of(cluster, shape.dataNodes);
      TestClusters.warmUp(cluster);
      slate.restore();
      return new Up(cluster, slate);
    } catch (IOException | RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  /**
   * Makes a {@link CleanSlate} of a cluster; of one that is not up, nothing.
   *
   * @throws IOException if that cannot be; the cluster is then ended, and the next who asks gets a
   *     new one
   */
  public void clean(Shape shape) throws IOException {
    Up there = up.get(shape);
    if (there == null) {
      return;
    }
    try {
      there.slate().restore();
    } catch (IOException | RuntimeException | Error e) {
      close(shape);
      throw e;
    }
  }

  private void close(Shape shape) {
    Up ended = up.remove(shape);
    if (ended != null) {
      ended.cluster().close();
    }
  }

  /** Ends all of them. */
  @Override
  public void close() {
    for (Iterator<Up> each = up.values().iterator(); each.hasNext(); ) {
      Up ended = each.next();
      each.remove();
      ended.cluster().close();
    }
  }
}
