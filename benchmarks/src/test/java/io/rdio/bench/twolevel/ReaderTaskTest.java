// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.rdio.bench.twolevel.ReaderJvm.Done;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a reader is told, and what it says in the end. */
class ReaderTaskTest {
  private static final int BLOCKS = 400;
  private static final Workload UNIFORM = RealWorkloads.named("ycsb-c-uniform");

  private static List<Integer> reads(ReaderTask task) throws IOException {
    List<Integer> firsts = new ArrayList<>();
    task.reads().replay(task.blocks(), (first, blocks) -> firsts.add(first));
    return firsts;
  }

  @Test
  void aJvmReadsWhatItIsTold() {
    ReaderTask file = ReaderTask.ofFile(Path.of("/mnt/data"), BLOCKS, UNIFORM, 3, 1000);
    ReaderTask pieces =
        ReaderTask.ofPieces(new PieceFiles(Path.of("/mnt/data"), 8, 50, 2), UNIFORM, 1000);
    for (ReaderTask task : List.of(file, pieces)) {
      List<String> arguments = new ArrayList<>(task.arguments());
      arguments.add("/tmp/for-who-looks-for-this-process");
      assertThat(ReaderTask.ofArguments(arguments)).isEqualTo(task);
      assertThat(task.blocks()).isEqualTo(BLOCKS);
      assertThat(task.warmUpBytes()).isEqualTo(3L * BLOCKS * 4096);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ReaderTask.ofArguments(List.of("/mnt/data", "400")))
        .withMessage("too few arguments: [/mnt/data, 400]");
  }

  @Test
  void whoReadsSlowlyIsWaitedForLonger() {
    long bytes = BLOCKS * 4096L;
    ReaderTask slow = ReaderTask.ofFile(Path.of("/mnt/data"), BLOCKS, UNIFORM, 0, bytes);
    ReaderTask slower = ReaderTask.ofFile(Path.of("/mnt/data"), BLOCKS, UNIFORM, 0, bytes / 2);
    assertThat(slow.patience()).isEqualTo(Duration.ofMinutes(10));
    assertThat(slower.patience()).isEqualTo(Duration.ofMinutes(15));
  }

  @Test
  void nodesReadTheSameDataEachInItsOrder() throws IOException {
    ReaderTask first = ReaderTask.ofFile(Path.of("/mnt/data"), BLOCKS, UNIFORM, 0, 1000);
    ReaderTask second = ReaderTask.ofFile(Path.of("/mnt/data"), BLOCKS, UNIFORM, 1, 1000);
    assertThat(reads(second)).hasSameSizeAs(reads(first)).isNotEqualTo(reads(first));
    assertThat(reads(first)).isEqualTo(reads(first));
  }

  @Test
  void filesThatAreNotThereAreNamed(@TempDir Path folder) {
    PieceFiles none = new PieceFiles(folder, 2, 4, 1);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> ReaderTask.ofPieces(none, UNIFORM, 1000).open())
        .withMessageContaining("data-0");
    Path file = folder.resolve("data");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> ReaderTask.ofFile(file, 8, UNIFORM, 0, 1000).open())
        .withMessageContaining(file.toString());
  }

  @Test
  void throughputIsOfTheTimeThatItWaited() {
    Done done = Done.of("done 10485760 250000000");
    assertThat(done).isEqualTo(new Done(10 << 20, 250_000_000));
    assertThat(done.mibPerSecond()).isCloseTo(40, within(1e-9));
    assertThat(new Done(0, 0).mibPerSecond()).isZero();
    for (String wrong : new String[] {"done", "done 1", "warm 1 2", "done 1 2 3", "done 1 x"}) {
      assertThatIllegalArgumentException().isThrownBy(() -> Done.of(wrong));
    }
  }
}
