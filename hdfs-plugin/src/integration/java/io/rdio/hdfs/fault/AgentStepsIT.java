// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.Resources;
import io.rdio.hdfs.fault.SteppedClient.Kind;
import io.rdio.hdfs.fault.SteppedRun.Kill;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Agent and client, each killed (SIGKILL) while either of the two is at any of its steps: the
 * agent's messages to DataNodes and calls of devices, the client's messages to the NameNode and
 * pieces of a file. Which steps there are a run tells in which nobody is killed. Afterwards files
 * are what was promised, {@code fsck} is clean, all slots come back, and no other file has changed.
 *
 * <p>At a few steps by chance, with {@code -Drdio.test.all=true} at all of them; {@code
 * -Drdio.steps.sample=N} has N kills done for each of the shapes, or {@code all}, and {@code
 * -Drdio.steps.seed=N} repeats a run's choices. Erasure-coded files are {@code StripedStepsIT}'s.
 */
@Tag("loop")
final class AgentStepsIT {
  private static final int DATA_NODES = 3;
  private static final int BLOCK = 2 << 20;
  private static final SteppedHdfs.Room ROOM =
      new SteppedHdfs.Room(320L << 20, 230L << 20, 60L << 20, 16);
  private static final List<String> PROCESSES =
      List.of(SteppedAgent.PROCESS, SteppedClient.PROCESS);

  private static SteppedHdfs hdfs;
  private static Path clientConf;

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    hdfs = new SteppedHdfs(DATA_NODES, BLOCK, ROOM, Map.of());
    clientConf = hdfs.clientConf();
  }

  @AfterAll
  static void close() throws Exception {
    Resources.close(hdfs);
  }

  /** Replicas, kinds of files, and how often somebody is killed, if nobody asks for more. */
  static List<Arguments> shapes() {
    return List.of(
        Arguments.of(1, EnumSet.allOf(Kind.class), 4), Arguments.of(3, EnumSet.of(Kind.CLOSED), 2));
  }

  @Timeout(value = 1, unit = TimeUnit.DAYS)
  @ParameterizedTest
  @MethodSource("shapes")
  void killedAtAnyStep(int replication, Set<Kind> kinds, int few) throws Exception {
    SteppedShape shape = new SteppedShape(replication, BLOCK, 1);
    SteppedKills kills =
        new SteppedKills(
            () -> hdfs.run(clientConf, "/", shape, kinds),
            new SteppedFiles(hdfs.cluster(), hdfs.stock(), new SteppedReplicas()));
    try {
      List<Kill> all = all(kills.undisturbed(), few);
      kills.endAtEach(StepSample.of(all, few, StepSample.random()), all.size());
      hdfs.assertNothingIsLeft();
    } catch (Exception | AssertionError e) {
      throw new AssertionError("with " + StepSample.seed(), e);
    }
  }

  private static List<Kill> all(SteppedRun undisturbed, int few) throws IOException {
    List<Kill> all = new ArrayList<>();
    for (String held : PROCESSES) {
      int steps = undisturbed.steps(held);
      assertThat(steps).as("steps of the " + held).isGreaterThan(few);
      all.addAll(SteppedKills.atEach(held, steps, PROCESSES));
    }
    return all;
  }
}
