// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.DeviceLog;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.hdfs.datanode.PromisedBlocks.Stage;
import io.rdio.hdfs.datanode.StageMarks.Marked;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Losses of power of a device whose log has {@link StageMarks}, and what each of them breaks of
 * what a DataNode has promised by then.
 *
 * <p>At a few moments by chance, with {@code -Drdio.test.all=true} at all; {@code
 * -Drdio.cuts.seed=N} repeats a run's choices as long as the log is as long.
 */
final class PowerCuts {
  private static final int CUTS = 24;
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");
  private static final long SEED = Long.getLong("rdio.cuts.seed", System.nanoTime());

  private final LoggedVolume volume;
  private final PromisedBlocks promised;
  private final Random random = new Random(SEED);

  PowerCuts(LoggedVolume volume, PromisedBlocks promised) {
    this.volume = volume;
    this.promised = promised;
  }

  private List<DeviceLog.Entry> entries() {
    return volume.log().entries();
  }

  /** What there was of blocks when the device was told so much, in its order. */
  private List<Marked> marked(int position) {
    return entries().subList(0, position).stream()
        .filter(DeviceLog.Mark.class::isInstance)
        .map(mark -> Marked.of((DeviceLog.Mark) mark))
        .toList();
  }

  private Map<Long, Stage> stagesAt(int position) {
    Map<Long, Stage> stages = new HashMap<>();
    marked(position).forEach(mark -> stages.put(mark.block(), mark.stage()));
    return stages;
  }

  /** How far each block is when the log ends. */
  Map<Long, Stage> stages() {
    return stagesAt(entries().size());
  }

  /** All that a block was, in the log's order. */
  List<Stage> stagesOf(long block) {
    return marked(entries().size()).stream()
        .filter(mark -> mark.block() == block)
        .map(Marked::stage)
        .toList();
  }

  /** Something came by each way, and was flushed. */
  void assertBothWaysAreUsed() {
    for (String way : List.of(LoggedVolume.AGENT, LoggedVolume.DATA_NODE)) {
      assertThat(entries()).contains(new DeviceLog.Flush(way));
      assertThat(entries())
          .anyMatch(entry -> entry instanceof DeviceLog.Write write && write.way().equals(way));
    }
  }

  /** Behind each mark, and a few by chance, or all. */
  private NavigableSet<Integer> positions() {
    List<DeviceLog.Entry> entries = entries();
    NavigableSet<Integer> positions = new TreeSet<>();
    for (int i = 0; i <= entries.size(); i++) {
      if (ALL || (i > 0 && entries.get(i - 1) instanceof DeviceLog.Mark)) {
        positions.add(i);
      }
    }
    random.ints(CUTS, 0, entries.size() + 1).forEach(positions::add);
    return positions;
  }

  private List<String> broken(Path image, int position) throws IOException {
    try (LoopDevice loop = LoopDevice.attach(image)) {
      LoopFileSystem fs;
      try {
        fs = LoopFileSystem.existing(loop.node(), "defaults");
      } catch (IOException e) {
        return List.of("it cannot be mounted: " + e);
      }
      try (fs) {
        return promised.broken(fs.mountPoint(), stagesAt(position));
      }
    }
  }

  /** Fails if any loss breaks anything. */
  void assertPromised() throws IOException {
    volume.cutAt(
        positions(),
        Set.of(),
        random,
        (image, position) -> {
          assertThat(broken(image, position))
              .as("power lost behind entry %s, -Drdio.cuts.seed=%s", position, SEED)
              .isEmpty();
          return true;
        });
  }

  /**
   * What the first of the same losses breaks that breaks anything, on a device that ignores the
   * flushes by a way; nothing if none does.
   */
  List<String> brokenIfDeafTo(String way) throws IOException {
    List<String> broken = new ArrayList<>();
    volume.cutAt(
        positions(),
        Set.of(way),
        random,
        (image, position) -> {
          broken.addAll(broken(image, position));
          return broken.isEmpty();
        });
    return broken;
  }

  /**
   * What is broken on such a device when power is lost at the log's end, and all with it that was
   * not flushed: of what came by that way nothing is left.
   */
  List<String> brokenIfLostTo(String way) throws IOException {
    List<String> broken = new ArrayList<>();
    volume.cutAt(
        new TreeSet<>(Set.of(entries().size())),
        Set.of(way),
        () -> 0,
        (image, position) -> broken.addAll(broken(image, position)));
    return broken;
  }

  /** Has the volume be what a loss of power at the log's end leaves. Nobody uses it meanwhile. */
  void losePower() throws IOException {
    volume.losePower(random);
  }
}
