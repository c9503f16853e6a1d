// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.cache;

import io.rdio.bench.cache.CacheUnderTest.Kind;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.openjdk.jol.info.GraphLayout;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code memory}: what the caches take per entry beside keys and values, as a table. */
@Command(
    name = "memory",
    mixinStandardHelpOptions = true,
    description =
        "Weighs full caches with JOL and prints bytes per entry, keys and values not counted.")
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class MemoryCommand implements Callable<Integer> {
  @Option(
      names = "--entries",
      split = ",",
      defaultValue = "100000,1000000",
      paramLabel = "N",
      description = "Capacities. Default: ${DEFAULT-VALUE}.")
  private List<Integer> capacities;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    // JOL reads it when it starts: it could not walk records otherwise.
    System.setProperty("jol.magicFieldOffset", "true");
    PrintWriter out = spec.commandLine().getOut();
    out.println("| entries | S3-FIFO | Caffeine | Guava | sync LRU |");
    out.println("|--:|--:|--:|--:|--:|");
    for (int capacity : capacities) {
      out.printf(Locale.ROOT, "| %d |", capacity);
      for (Kind kind : Kind.values()) {
        out.printf(Locale.ROOT, " %.1f |", bytesPerEntry(kind, capacity));
      }
      out.println();
      out.flush();
    }
    return 0;
  }

  /** Fills the cache three times over, so that ghost queue and sketch are as large as they get. */
  private static double bytesPerEntry(Kind kind, int capacity) {
    CacheUnderTest cache = CacheUnderTest.create(kind, capacity);
    for (long key = 0; key < 3L * capacity; key++) {
      cache.get(key);
    }
    cache.cleanUp();
    GraphLayout layout = GraphLayout.parseInstance(cache);
    long keys = layout.getClassCounts().count(Long.class) * 24L;
    return (double) (layout.totalSize() - keys) / capacity;
  }
}
