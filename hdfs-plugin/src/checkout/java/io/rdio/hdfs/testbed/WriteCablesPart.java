// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Host.CLIENT;
import static io.rdio.hdfs.testbed.Host.DATANODE;
import static io.rdio.hdfs.testbed.Host.DATANODE2;
import static io.rdio.hdfs.testbed.Host.OTHER;

import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * Cables that go out while the agent of the client's host writes a block to two DataNodes, one
 * cable after the other. The DataNodes do not fence: that no late write does harm is the matter of
 * times alone (W3, W14). The volumes are full of other blocks, but for some space, and where it is
 * the agent's cable another host's agent writes on meanwhile, into the slots that come back.
 */
final class WriteCablesPart {
  private static final long BLOCK = 8L << 20;

  /** {@code T}. */
  private static final Duration LEASE = Duration.ofSeconds(20);

  /** {@code I}. */
  private static final Duration IO_TIME_MAX = Duration.ofSeconds(20);

  /** {@code Q}. */
  private static final Duration QUARANTINE = LEASE.plus(IO_TIME_MAX);

  /**
   * Until a host's kernel has given up what it has under way on a path that is gone: its times, and
   * for each command the tearing down, which an emulated processor takes long for (docs/nvmeof.md).
   * Meanwhile the agent renews the lease.
   */
  private static final Duration GIVEN_UP = Duration.ofSeconds(30);

  /** A sweep that is due, a slot that is being made, and an emulated processor. */
  private static final Duration SLACK = Duration.ofSeconds(30);

  /** How long a DataNode's device is away, if the writer is not told before what came of it. */
  private static final Duration AWAY_MAX = Duration.ofSeconds(60);

  /** A process waits five minutes for each answer of its agent. */
  private static final Duration ANSWER_MAX = Duration.ofMinutes(6);

  /** Of all HDFS: few slots that a full block goes to. */
  static final Map<String, String> KEYS =
      Map.of(
          "dfs.blocksize",
          Long.toString(BLOCK),
          "dfs.replication",
          "2",
          "dfs.namenode.redundancy.considerLoad",
          "false",
          RdioConfigKeys.DATANODE_FENCE.name(),
          "off",
          RdioConfigKeys.DATANODE_WRITE.name(),
          "on",
          RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.name(),
          LEASE.toSeconds() + "s",
          RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(),
          IO_TIME_MAX.toSeconds() + "s",
          RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(),
          "24m");

  /** Of a block each, by these keys. */
  private static final int SLOTS = 2;

  private static final String FOLDER = "/write-cables/";

  /** Of the second block: more than is kept in memory before it is begun. */
  private static final long BEGUN = 5L << 20;

  /** Of the second block, too: what is written when the cable is out. */
  private static final long REST = 2L << 20;

  private static final long TOTAL = BLOCK + BEGUN + REST;

  /** What other blocks leave free of a volume. */
  private static final long FREE = 112L << 20;

  /** How many files the other host writes while a cable is out, at most, and how many stay. */
  private static final int OTHERS_MAX = 10;

  private static final int OTHERS_KEPT = 3;

  /** Whose cable it is. */
  private enum Side {
    /** The agent's: the other host writes meanwhile. */
    AGENT,
    /** A DataNode's on the network: its volume can be looked at meanwhile. */
    DATANODE,
    /** A DataNode's to its device: who looks at its volume waits for the cable. */
    DEVICE
  }

  /** Takes it out, or puts it back. */
  private interface Cable {
    void plug(boolean in) throws IOException;
  }

  /**
   * One cable.
   *
   * @param losing DataNodes that the writer cannot have a replica on meanwhile
   */
  private record Cut(String name, Side side, List<Host> losing, Cable cable) {}

  /** A slot that the writer has. */
  private record Slot(SlotFolder volume, Path file, long place) {
    static Slot on(SlotFolder volume) throws IOException {
      Path file = volume.leased().get(0);
      return new Slot(volume, file, SlotFolder.place(file));
    }
  }

  /** The file that is being written when a cable goes out. */
  private record Open(FileSet files, String firstBlock) {
    String path() {
      return files.name() + "0";
    }
  }

  private final Fabric fabric;
  private final FabricHdfs hdfs;
  private final WritingProcess writer;
  private final WritingProcess other;
  private final PrintStream out;
  private final List<SlotFolder> volumes = SlotFolder.of(List.of(DATANODE, DATANODE2));
  private final KnownFiles known = new KnownFiles();
  private final Queue<FileSet> others = new ArrayDeque<>();
  private final List<CutWrite> cuts = new ArrayList<>();

  private WriteCablesPart(
      Fabric fabric,
      FabricHdfs hdfs,
      WritingProcess writer,
      WritingProcess other,
      PrintStream out) {
    this.fabric = fabric;
    this.hdfs = hdfs;
    this.writer = writer;
    this.other = other;
    this.out = out;
  }

  static WriteCablesPart run(Fabric fabric, FabricHdfs hdfs, PrintStream out) throws IOException {
    out.println("testbed: cables out in mid-write");
    fabric.allowWrites(CLIENT);
    try (Agent agent = Agent.start("agent", hdfs.writingAgent(CLIENT), hdfs.logs());
        Agent others = Agent.start("agent-other", hdfs.writingAgent(OTHER), hdfs.logs());
        WritingProcess writer = WritingProcess.start(hdfs, CLIENT, "writer");
        WritingProcess other = WritingProcess.start(hdfs, OTHER, "writer-other")) {
      Waits.await(
          "the agents to serve", () -> !agent.report().isEmpty() && !others.report().isEmpty());
      WriteCablesPart part = new WriteCablesPart(fabric, hdfs, writer, other, out);
      part.begin();
      part.playAll();
      return part;
    }
  }

  private void begin() throws IOException {
    settle();
    if (!writer.isServed(FOLDER + "first", BLOCK) || !other.isServed(FOLDER + "second", BLOCK)) {
      throw new IOException("the agents do not write; see their logs");
    }
    settle();
    long room = Long.MAX_VALUE;
    for (SlotFolder volume : volumes) {
      room = Math.min(room, Files.getFileStore(volume.data()).getUsableSpace() - FREE);
    }
    FileSet foreign = new FileSet(FOLDER + "foreign-", (int) Math.max(1, room / BLOCK), BLOCK);
    known.add(foreign, hdfs.client().write(foreign));
  }

  private void playAll() {
    List<Host> second = List.of(DATANODE2);
    List<Host> both = List.of(DATANODE, DATANODE2);
    play(new Cut("one storage path of the agent's host", Side.AGENT, second, fabric::secondPath));
    play(
        new Cut(
            "the storage link of a DataNode",
            Side.DEVICE,
            second,
            in -> fabric.storageLink(DATANODE2, in)));
    play(
        new Cut(
            "the network of a DataNode",
            Side.DATANODE,
            second,
            in -> fabric.computeLink(DATANODE2, in)));
    play(new Cut("all storage paths of the agent's host", Side.AGENT, both, this::plugAgent));
    play(
        new Cut(
            "the network of the agent's host",
            Side.AGENT,
            both,
            in -> fabric.computeLink(CLIENT, in)));
  }

  private void plugAgent(boolean in) throws IOException {
    fabric.storageLink(CLIENT, in);
    fabric.secondPath(in);
  }

  private void play(Cut cut) {
    CutWrite result;
    try {
      result = strike(cut);
    } catch (IOException e) {
      dropAnswer(e);
      result = CutWrite.failed(cut.name(), e);
    }
    cuts.add(result);
    out.println("testbed: " + result.line());
  }

  /** So that the next cable can be played. */
  private void dropAnswer(IOException why) {
    try {
      writer.dropAnswer(ANSWER_MAX);
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }

  private CutWrite strike(Cut cut) throws IOException {
    settle();
    Open open = open();
    List<Slot> slots = new ArrayList<>();
    for (SlotFolder volume : SlotFolder.of(cut.losing())) {
      slots.add(Slot.on(volume));
    }
    List<BlockContents> before = new ArrayList<>(List.of(contents()));
    double back = Double.NaN;
    String more;
    cut.cable().plug(false);
    try {
      writer.tellToEnd(open.path(), REST);
      if (cut.side() == Side.DEVICE) {
        more = writer.isAnswered(AWAY_MAX) ? "; told meanwhile" : "";
      } else {
        back = secondsUntilBack(GIVEN_UP.plus(QUARANTINE).plus(SLACK), slots);
        more = cut.side() == Side.AGENT && reuse(slots) ? "; a slot was reused" : "";
        before.add(contents());
      }
    } finally {
      cut.cable().plug(true);
    }
    WriteAnswer answer = writer.answer(ANSWER_MAX);
    if (cut.side() == Side.DEVICE) {
      back = secondsUntilBack(QUARANTINE.plus(SLACK), slots);
    }
    Map<String, Boolean> clauses = judged(open, answer, before);
    clauses.merge(CutWrite.SLOTS, !Double.isNaN(back), Boolean::logicalAnd);
    cleanUp(open);
    String told = answer.isClosed() ? "closed" : "refused: " + answer.text();
    return new CutWrite(cut.name(), clauses, back, told + more);
  }

  /** One block is committed, and the next one begun on both DataNodes. */
  private Open open() throws IOException {
    FileSet files = new FileSet(FOLDER + "cut" + cuts.size() + "-", 1, TOTAL);
    String file = files.name() + "0";
    writer.open(file);
    writer.write(file, BLOCK);
    String firstBlock = writer.digest(file);
    writer.write(file, BEGUN);
    Waits.await("a slot on each DataNode to be lent", () -> slotsLent(1));
    return new Open(files, firstBlock);
  }

  private boolean slotsLent(int each) throws IOException {
    for (SlotFolder volume : volumes) {
      if (volume.leased().size() != each) {
        return false;
      }
    }
    return true;
  }

  /** All is as it was before any write, and pools are full. */
  private void settle() throws IOException {
    Waits.await("slots to be back, or made anew", this::areSettled);
  }

  private boolean areSettled() throws IOException {
    for (SlotFolder volume : volumes) {
      if (!volume.isSettled(SLOTS, BLOCK)) {
        return false;
      }
    }
    return true;
  }

  private BlockContents contents() throws IOException {
    return BlockContents.of(volumes.stream().map(SlotFolder::data).toList());
  }

  private static double secondsUntilBack(Duration max, List<Slot> slots) throws IOException {
    return Waits.seconds(max, () -> slots.stream().noneMatch(slot -> Files.exists(slot.file())));
  }

  /** Whether a block lies where a slot was: the other host writes until one does, or ten. */
  private boolean reuse(List<Slot> slots) throws IOException {
    for (int i = 0; i < OTHERS_MAX; i++) {
      FileSet files = new FileSet(FOLDER + "other" + cuts.size() + "-" + i + "-", 1, BLOCK);
      known.add(files, other.create(files.name() + "0", BLOCK));
      others.add(files);
      for (Slot slot : slots) {
        if (slot.volume().hasBlockAt(slot.place())) {
          return true;
        }
      }
      deleteOthers(OTHERS_KEPT);
    }
    return false;
  }

  private void deleteOthers(int kept) throws IOException {
    while (others.size() > kept) {
      FileSet oldest = others.remove();
      known.remove(oldest);
      other.delete(oldest.name() + "0");
    }
  }

  /** What is there when all has come to rest; nothing of it from memory. */
  private Map<String, Boolean> judged(Open open, WriteAnswer answer, List<BlockContents> before)
      throws IOException {
    Map<String, Boolean> clauses = new LinkedHashMap<>();
    clauses.put(CutWrite.SLOTS, Waits.comes(QUARANTINE.plus(SLACK), () -> slotsLent(0)));
    clauses.put(CutWrite.TOLD, isClosedOrRefused(open, answer));
    Waits.await("writes that are under way to end", () -> writesUnderWay() == 0);
    fabric.dropPageCache();
    BlockContents now = contents();
    clauses.put(
        CutWrite.FOREIGN, before.stream().allMatch(earlier -> now.changedSince(earlier).isEmpty()));
    clauses.put(
        CutWrite.CLOSED, known.differing(this::read).isEmpty() && now.unequalReplicas().isEmpty());
    clauses.put(CutWrite.FSCK, Waits.comes(() -> hdfs.client().fsck().isEmpty()));
    clauses.put(CutWrite.AGAIN, writer.isServed(FOLDER + "again" + cuts.size() + "-", BLOCK));
    return clauses;
  }

  /** Closed with all that was written, or refused: then what was committed is there, or all. */
  private boolean isClosedOrRefused(Open open, WriteAnswer answer) throws IOException {
    if (answer.isClosed()) {
      known.add(open.files(), answer.text());
      return isThere(open, TOTAL, answer.text());
    }
    return answer.isPlain(open.path())
        && Waits.comes(() -> hdfs.client().recover(open.path()))
        && (isThere(open, BLOCK, open.firstBlock())
            || isThere(open, TOTAL, writer.digest(open.path())));
  }

  private boolean isThere(Open open, long bytes, String sha256) throws IOException {
    ReadOutcome outcome = read(open.files());
    return outcome.bytes() == bytes && outcome.sha256().equals(sha256);
  }

  private ReadOutcome read(FileSet files) throws IOException {
    return hdfs.client().read(false, files);
  }

  private int writesUnderWay() throws IOException {
    return fabric.writesUnderWay(CLIENT, DATANODE) + fabric.writesUnderWay(CLIENT, DATANODE2);
  }

  private void cleanUp(Open open) throws IOException {
    known.remove(open.files());
    hdfs.client().delete(open.path());
    deleteOthers(0);
  }

  /** For the JSON. */
  List<Map<String, Object>> fields() {
    return cuts.stream().map(CutWrite::fields).toList();
  }

  /** Whether all clauses held of all cables. */
  boolean allOk() {
    return !cuts.isEmpty() && cuts.stream().allMatch(CutWrite::ok);
  }
}
