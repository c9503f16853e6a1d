// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.maps;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench maps}: what a FileMap cache of millions of blocks takes, and what lookups cost. */
@Command(
    name = "maps",
    mixinStandardHelpOptions = true,
    description = {
      "Fills the FileMap cache with blocks of four extents and looks them up by many threads.",
      "Beside it a plain ConcurrentHashMap of the same maps. CPU time per lookup that stays the"
          + " same as threads grow is what scales; throughput ends at the machine's cores.",
      "Four million blocks want a heap of 3 GB: JAVA_TOOL_OPTIONS=-Xmx3g."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class MapsCommand implements Callable<Integer> {
  /** For each block: its map and lease, its node in the map to compare with, room to collect. */
  private static final long HEAP_PER_BLOCK = 500;

  private static final long FIXED_HEAP = 300L << 20;

  @Option(
      names = "--blocks",
      defaultValue = "4000000",
      paramLabel = "N",
      description = "Blocks in the cache. Default: ${DEFAULT-VALUE}.")
  private int blocks;

  @Option(
      names = "--threads",
      split = ",",
      defaultValue = "1,2,4,16,64,256",
      paramLabel = "N",
      description = "Threads that look up at once. Default: ${DEFAULT-VALUE}.")
  private List<Integer> threads;

  @Option(
      names = "--seconds",
      defaultValue = "1",
      paramLabel = "S",
      description = "Time for each figure. Default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    check();
    new MapsBenchmark(blocks, threads, seconds, spec.commandLine().getOut()).run();
    return 0;
  }

  private void check() {
    long heap = Runtime.getRuntime().maxMemory();
    long wanted = FIXED_HEAP + blocks * HEAP_PER_BLOCK;
    if (blocks < 1) {
      throw new ParameterException(
          spec.commandLine(), "--blocks " + blocks + ": must be 1 or more");
    }
    if (heap < wanted) {
      throw new ParameterException(
          spec.commandLine(),
          "--blocks "
              + blocks
              + " wants a heap of "
              + (wanted >> 20)
              + " MiB, this JVM has "
              + (heap >> 20)
              + ": set JAVA_TOOL_OPTIONS=-Xmx"
              + (wanted >> 20)
              + "m or take fewer");
    }
  }
}
