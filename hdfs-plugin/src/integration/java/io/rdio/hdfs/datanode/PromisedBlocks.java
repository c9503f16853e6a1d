// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.hdfs.it.Maps;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Whether a DataNode's volume, as a loss of power left it, has what was promised of its blocks: a
 * slot that was lent is out of the pool (W2), what has a block's name is whole, its CRCs too, or
 * empty (W5), and what was answered has its name and its hold link (W5, W6). A block that HDFS was
 * told to delete is gone, or has its own bytes; it is gone before anybody writes to its file again
 * (W15). What slots are promised to be is {@link PromisedSlots}'.
 */
final class PromisedBlocks {
  /** Bytes of a meta file's header. */
  private static final int HEADER = 7;

  private final Map<Long, byte[]> contents = new HashMap<>();

  /** Those that were there, durably, before anything happened. */
  private final Set<Long> settled = new HashSet<>();

  /** How far a block is that an agent writes, up to when its file is another one's. */
  enum Stage {
    /** Its slot is lent, and nothing of it is committed. */
    LEASED,

    /** Its commit has begun. */
    COMMITTING,

    /** Its commit is about to be answered. */
    COMMITTED,

    /** The same, where the time of its hold link may be over at any moment since. */
    FINALIZED,

    /** HDFS is about to be told to delete it. */
    DELETED,

    /** HDFS has deleted it, and its file, which is kept, is about to be quarantined. */
    UNNAMED,

    /** That quarantine is over, and its file is about to be stamped. */
    FREED,

    /** Its file is stamped, and about to be in the pool. */
    STAMPED
  }

  /** What there is on a volume: names, and files of HDFS by their names. */
  private record Look(
      List<String> staged,
      List<String> pooled,
      List<String> kept,
      List<String> pins,
      Map<String, Path> files) {

    static Look at(Path mountPoint) throws IOException {
      Path data = mountPoint.resolve("data");
      Map<String, Path> files = new HashMap<>();
      for (Path file : Maps.files(data.resolve("current"))) {
        files.put(file.getFileName().toString(), file);
      }
      return new Look(
          names(data.resolve("rdio/slots/leased")),
          names(data.resolve("rdio/slots/pool")),
          names(data.resolve("rdio/slots/kept")),
          names(data.resolve("rdio/pins")),
          files);
    }

    private static List<String> names(Path folder) throws IOException {
      return Maps.files(folder).stream().map(file -> file.getFileName().toString()).toList();
    }

    private static List<String> of(long block, List<String> names) {
      return names.stream().filter(name -> name.contains("." + block + ".")).toList();
    }

    List<String> staged(long block) {
      return of(block, staged);
    }

    boolean isHeld(long block) {
      return !of(block, pins).isEmpty();
    }

    /** Whether its file has a name by which it is its block's. */
    boolean isThere(long block) {
      return files.containsKey(name(block)) || isHeld(block) || !of(block, kept).isEmpty();
    }

    private static String name(long block) {
      return "blk_" + block;
    }

    /** Null if there is none, or an empty one. */
    Path named(long block) throws IOException {
      Path file = files.get(name(block));
      return file == null || Files.size(file) == 0 ? null : file;
    }

    boolean isFinalized(long block) throws IOException {
      Path file = named(block);
      return file != null && file.toString().contains("/finalized/");
    }

    /** The bytes of its meta file; none if there is no such file. */
    byte[] meta(long block) throws IOException {
      for (Map.Entry<String, Path> file : files.entrySet()) {
        if (file.getKey().matches("blk_" + block + "_[0-9]+\\.meta")) {
          return Files.readAllBytes(file.getValue());
        }
      }
      return new byte[0];
    }

    /** Whether a slot that is staged for a block is in the pool, too. */
    boolean isInPool(String stagedName) {
      String slot = stagedName.substring(0, stagedName.indexOf('.') + 1);
      return pooled.stream().anyMatch(name -> name.startsWith(slot));
    }
  }

  /**
   * Notes a block's bytes, whole.
   *
   * @param isSettled whether it is there already
   */
  void add(long block, byte[] content, boolean isSettled) {
    contents.put(block, content);
    if (isSettled) {
      settled.add(block);
    }
  }

  /**
   * What is wrong with a volume; nothing if it is in order.
   *
   * @param stages of the blocks that an agent has begun by now, or that HDFS was told to delete
   */
  List<String> broken(Path mountPoint, Map<Long, Stage> stages) {
    List<String> broken = new ArrayList<>();
    try {
      Look look = Look.at(mountPoint);
      for (Map.Entry<Long, Stage> each : stages.entrySet()) {
        checkStage(look, each.getKey(), each.getValue(), broken);
      }
      for (long block : contents.keySet()) {
        boolean isToBeThere = settled.contains(block) && !stages.containsKey(block);
        checkContent(look, block, isToBeThere, broken);
      }
      broken.addAll(PromisedSlots.broken(mountPoint));
    } catch (IOException e) {
      broken.add("it cannot be read: " + e);
    }
    return broken;
  }

  private static void checkStage(Look look, long block, Stage stage, List<String> broken)
      throws IOException {
    List<String> staged = look.staged(block);
    boolean isAsItShouldBe =
        switch (stage) {
          case LEASED -> staged.size() == 1;
          case COMMITTING -> staged.size() == 1 || look.named(block) != null;
          case COMMITTED -> look.isFinalized(block) && look.isHeld(block);
          case FINALIZED -> look.isFinalized(block);
          case DELETED, UNNAMED -> true; // with its own bytes, if it is there
          case FREED, STAMPED -> !look.isThere(block);
        };
    if (!isAsItShouldBe) {
      broken.add("block " + block + " is " + stage + ", and not where it should be: " + look);
    }
    if (staged.stream().anyMatch(look::isInPool)) {
      broken.add("the slot of block " + block + " is in the pool, too: " + look);
    }
  }

  private void checkContent(Look look, long block, boolean isToBeThere, List<String> broken)
      throws IOException {
    Path file = look.named(block);
    if (file == null) {
      if (isToBeThere) {
        broken.add("block " + block + " of another file is gone: " + look);
      }
      return;
    }
    byte[] content = contents.get(block);
    int wrong = Arrays.mismatch(Files.readAllBytes(file), content);
    if (wrong >= 0) {
      broken.add("first wrong byte of " + file + ": " + wrong);
    }
    byte[] meta = look.meta(block);
    int header = Math.min(HEADER, meta.length);
    ByteBuffer crcs = ByteBuffer.wrap(meta, header, meta.length - header);
    if (!crcs.equals(WritingClient.checksums(content))) {
      broken.add(file + " has a meta file of " + meta.length + " bytes, without its CRCs");
    }
  }
}
