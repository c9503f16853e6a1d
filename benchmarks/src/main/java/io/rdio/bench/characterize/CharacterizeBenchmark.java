// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.characterize;

import io.rdio.bench.characterize.CharacterizeBenchmark.Cell;
import io.rdio.bench.client.Mix;
import io.rdio.bench.client.Output;
import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.DiskLimit;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.RemoteWrites;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.SlotPools;
import io.rdio.bench.hdfs.Way;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The experiment.
 *
 * @param operations those that are measured, at least one
 * @param slowBytesPerSecond of the slow device
 * @param schedulers none for all that the kernel has
 * @param tasks numbers of threads
 * @param requestBytes of a read, and of a file that is written
 * @param fileBytes of all files read, together
 * @param poolBytes of slots by which the agent writes
 * @param repeats of each combination
 * @param seconds of each run
 * @param seed of the random order
 */
record CharacterizeBenchmark(
    List<Operation> operations,
    long slowBytesPerSecond,
    List<String> schedulers,
    List<Integer> tasks,
    int requestBytes,
    long fileBytes,
    long poolBytes,
    int repeats,
    double seconds,
    long seed)
    implements ClusterBenchmark<Cell> {
  private static final String PREFIX = "/characterize/";
  private static final int FILES = 8;

  /** Of the files that are read: those of the cluster are as small as slots, where it has any. */
  private static final long BLOCK_BYTES = 128L << 20;

  private static final int TASKS_MAX = 1024;
  private static final long WRITTEN_BYTES = 2L << 30;

  /** Slots of a pool at least: fewer are used up before there is anything to compare. */
  private static final int SLOTS_MIN = 16;

  private static final int WARM_UPS = 2;

  /** Where block files and their meta files are. */
  enum Placement {
    SLOW,
    FAST;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT) + " device";
    }
  }

  /** Which places tasks read. */
  enum Pattern {
    SEQUENTIAL,
    RANDOM;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What tasks do. */
  enum Operation {
    READ,
    WRITE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A combination of levels, but for the way. */
  record Cell(
      Placement placement, String scheduler, int tasks, Pattern pattern, Operation operation) {
    @Override
    public String toString() {
      return String.join(
          ", ",
          placement.toString(),
          scheduler,
          tasks + " tasks",
          pattern.toString(),
          operation.toString());
    }

    /** Levels by factor. */
    Map<String, String> levels(Way way) {
      Map<String, String> levels = new LinkedHashMap<>();
      levels.put("placement", placement.toString());
      levels.put("scheduler", scheduler);
      levels.put("tasks", Integer.toString(tasks));
      levels.put("pattern", pattern.toString());
      levels.put("way", way.label());
      return levels;
    }
  }

  CharacterizeBenchmark {
    operations = List.copyOf(operations);
    schedulers = List.copyOf(schedulers);
    tasks = List.copyOf(tasks);
    if (repeats < 2) {
      throw new IllegalArgumentException("--repeats " + repeats + ": must be 2 or more");
    }
    Checks.requirePositive("--seconds", seconds);
    for (int count : tasks) {
      Checks.requireOneOrMore("--tasks", count);
      if (count > TASKS_MAX) {
        throw new IllegalArgumentException("--tasks " + count + ": at most " + TASKS_MAX);
      }
    }
    if (fileBytes / FILES < requestBytes) {
      throw new IllegalArgumentException(
          "--size " + fileBytes + ": less than a request for each of " + FILES + " files");
    }
    long slotBytes = Output.blockFor(requestBytes);
    if (operations.contains(Operation.WRITE) && poolBytes < SLOTS_MIN * slotBytes) {
      throw new IllegalArgumentException(
          String.format(
              "--pool %d: less than %d slots of %d bytes", poolBytes, SLOTS_MIN, slotBytes));
    }
  }

  private boolean isWritten() {
    return operations.contains(Operation.WRITE);
  }

  /** Each file that is written takes one. */
  private long slotBytes() {
    return Output.blockFor(requestBytes);
  }

  @Override
  public Map<String, String> keys() {
    return isWritten() ? RemoteWrites.manyFilesKeys(slotBytes(), poolBytes) : Map.of();
  }

  @Override
  public long bytes() {
    return fileBytes + (isWritten() ? poolBytes : 0) + WRITTEN_BYTES;
  }

  @Override
  public String verified() {
    return operations.contains(Operation.READ)
        ? "all files that are read, by every way; what is written is not"
        : "nothing: what is written is not read";
  }

  @Override
  public void run(BenchCluster cluster, Passes<Cell> passes) throws IOException {
    List<String> files =
        operations.contains(Operation.READ)
            ? cluster.write(PREFIX, FILES, fileBytes / FILES, BLOCK_BYTES)
            : List.of(PREFIX + 0); // what is written has names that begin so
    SlotPools pools = cluster.slotPools();
    if (isWritten()) {
      // Before anything is read: slots are made while the device is quiet.
      cluster.say("Waiting for " + Sizes.label(poolBytes) + " of slots...");
      pools.awaitFilled(poolBytes, slotBytes());
    }
    Path scheduler = cluster.deviceSettings().resolve("queue/scheduler");
    List<String> chosen =
        schedulers.isEmpty() ? available(Files.readString(scheduler)) : schedulers;
    List<Run> runs = Run.inRandomOrder(chosen, tasks, repeats, seed);
    for (Operation operation : Operation.values()) { // in their order
      if (operations.contains(operation)) {
        begin(operation, cluster, pools, files);
        List<Run> its = runs.stream().filter(run -> run.cell().operation() == operation).toList();
        for (int i = 0; i < its.size(); i++) {
          Run run = its.get(i);
          cluster.say(
              "[" + (i + 1) + "/" + its.size() + "] " + run.cell() + ", " + run.way().label());
          setScheduler(scheduler, run.cell().scheduler());
          measure(cluster, pools, passes, run, files);
        }
      }
    }
  }

  /** Starts the clients and has them warm up. */
  private void begin(Operation operation, BenchCluster cluster, SlotPools pools, List<String> files)
      throws IOException {
    if (operation == Operation.READ) {
      cluster.startClients(Run.READERS, files);
      cluster.say("Warming up...");
      for (Way way : Run.READERS) {
        cluster.measure(way, Task.positional(files, tasks.get(0), List.of(requestBytes), 0, 3, 0));
      }
      return;
    }
    // Only now: with them the agent's client would read by another class than RDIO's.
    cluster.addRdioKeys(RemoteWrites.clientKeys(1)); // no file is small
    cluster.startWriters(Run.WRITERS, null);
    cluster.say("Warming up by writes...");
    for (int i = 0; i < WARM_UPS; i++) {
      for (Way way : Run.WRITERS) {
        pools.settle();
        cluster.measure(way, write(files, tasks.get(0), 0));
      }
    }
  }

  /** Reads find no page cached; writes all slots free, and nothing that is to be written back. */
  private void measure(
      BenchCluster cluster, SlotPools pools, Passes<Cell> passes, Run run, List<String> files)
      throws IOException {
    Cell cell = run.cell();
    if (cell.operation() == Operation.READ) {
      cluster.prepareCaches();
    } else {
      pools.settle();
    }
    Task task = task(cell, files, run.repeat());
    if (cell.placement() == Placement.FAST) {
      passes.add(cell, cluster.measure(run.way(), task));
      return;
    }
    DiskLimit limit = cluster.slowDown(slowBytesPerSecond);
    try {
      passes.add(cell, cluster.measure(run.way(), task));
    } finally {
      limit.close();
    }
  }

  private Task task(Cell cell, List<String> files, int repeat) {
    if (cell.operation() == Operation.WRITE) {
      return write(files, cell.tasks(), repeat);
    }
    return cell.pattern() == Pattern.RANDOM
        ? Task.positional(files, cell.tasks(), List.of(requestBytes), 0, seconds, repeat)
        : Task.inOrder(files, cell.tasks(), requestBytes, seconds, repeat);
  }

  private Task write(List<String> files, int threads, int repeat) {
    Task.Operations operations = new Task.Operations(Mix.LOAD, threads, 0);
    return Task.records(files, requestBytes, operations, seconds, repeat);
  }

  /** Those that the kernel lists, in brackets the one that is on. */
  static List<String> available(String setting) {
    return Arrays.asList(setting.replaceAll("[\\[\\]]", "").strip().split(" +", -1));
  }

  private static void setScheduler(Path setting, String name) throws IOException {
    List<String> there = available(Files.readString(setting));
    if (!there.contains(name)) {
      throw new IOException(
          "the kernel has no I/O scheduler "
              + name
              + " for the loop device: take some of "
              + there);
    }
    Files.writeString(setting, name);
  }

  @Override
  public String describe() {
    return String.format(
        Locale.ROOT,
        "%s of files, requests of %s, slow device %s a second, %d repeats of %s s each",
        Sizes.label(fileBytes),
        Sizes.label(requestBytes),
        Sizes.label(slowBytesPerSecond),
        repeats,
        seconds);
  }

  @Override
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("operations", operations.stream().map(Operation::toString).toList());
    fields.put("slow_bytes_per_s", slowBytesPerSecond);
    fields.put("tasks", tasks);
    fields.put("request_bytes", requestBytes);
    fields.put("file_bytes", fileBytes);
    fields.put("pool_bytes", poolBytes);
    fields.put("repeats", repeats);
    fields.put("seconds", seconds);
    fields.put("seed", seed);
    return fields;
  }

  @Override
  public Findings findings(Passes<Cell> passes, ClusterOptions where) {
    return new CharacterizeFindings(passes).all();
  }
}
