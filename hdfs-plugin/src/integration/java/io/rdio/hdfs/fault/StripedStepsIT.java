// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.fault.SteppedClient.Kind;
import io.rdio.hdfs.fault.SteppedRun.Kill;
import io.rdio.hdfs.it.Groups;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Agent, client and a DataNode, each killed (SIGKILL) while one of the three is at any of its steps
 * of an erasure-coded file: those of {@code AgentStepsIT}, and a DataNode's of Allocate and Commit;
 * those of deferred parity are among them. Afterwards files are what was promised, whatever a
 * DataNode has of a group is right, parity and CRCs as well, the NameNode has all blocks after a
 * while of its own reconstruction, {@code fsck} is clean, all slots come back, no replica stays
 * begun, and no other file has changed. A DataNode that was killed is started again behind the
 * client's end.
 *
 * <p>At a few steps by chance, with {@code -Drdio.test.all=true} at all of them; {@code
 * -Drdio.steps.sample=N} has N kills done for each of all sorts, or {@code all}, and {@code
 * -Drdio.steps.seed=N} repeats a run's choices.
 */
@Tag("loop")
final class StripedStepsIT {
  /** How often somebody is killed, if nobody asks for more: a run without a DataNode is long. */
  private static final int FEW = 2;

  private static final String FOLDER = "/striped/";
  private static final SteppedHdfs.Room ROOM =
      new SteppedHdfs.Room(260L << 20, 180L << 20, 40L << 20, 8);

  private final Random random = StepSample.random();

  /**
   * Seconds instead of minutes and hours until the NameNode makes a block, or has a replica
   * removed: a recovery while the write lease runs leaves an empty one until it is reported.
   */
  private static Map<String, String> keys() {
    return Map.of(
        "dfs.datanode.plugins",
        SteppedDataNode.PLUGINS,
        "dfs.blockreport.intervalMsec",
        "5000",
        "dfs.namenode.redundancy.interval.seconds",
        "1s",
        "dfs.namenode.reconstruction.pending.timeout-sec",
        "5",
        RdioConfigKeys.CLIENT_DATANODE_BACKOFF.name(),
        "500ms");
  }

  /**
   * Files of a sort.
   *
   * @param parity when it is made
   * @param block bytes of a block
   * @param isEachVictim whether, of all, each victim is killed at each step, and not one by chance
   */
  private record Sort(String policy, String parity, int block, boolean isEachVictim) {
    ErasureCodingPolicy coding() {
      return SystemErasureCodingPolicies.getByName(policy);
    }

    SteppedShape shape() {
      return new SteppedShape(1, block, coding().getNumDataUnits());
    }
  }

  /**
   * With the smaller blocks the second group has not all of its blocks, so that its parity is
   * awaited.
   */
  static List<Sort> sorts() {
    Sort deferred = new Sort("RS-3-2-1024k", "deferred", 2 << 20, true);
    return StepSample.isOfEachSort()
        ? List.of(
            deferred,
            new Sort("RS-3-2-1024k", "immediate", 2 << 20, false),
            new Sort("RS-6-3-1024k", "deferred", 1 << 20, false))
        : List.of(deferred);
  }

  @Timeout(value = 1, unit = TimeUnit.DAYS)
  @ParameterizedTest
  @MethodSource("sorts")
  void killedAtAnyStep(Sort sort) throws Exception {
    Requirements.requireLoop("ext4");
    System.out.println(sort + " with " + StepSample.seed());
    ErasureCodingPolicy policy = sort.coding();
    // One more than a group has blocks: there the NameNode makes one that a DataNode has lost.
    int dataNodes = Groups.units(policy) + 1;
    try (SteppedHdfs hdfs = new SteppedHdfs(dataNodes, sort.block(), ROOM, keys());
        SteppedStripes stripes = new SteppedStripes(policy)) {
      makeFolder(hdfs.stock(), policy);
      Path clientConf = hdfs.clientConf(RdioConfigKeys.CLIENT_WRITE_PARITY.name(), sort.parity());
      Set<Kind> kinds = EnumSet.of(Kind.CLOSED);
      SteppedKills kills =
          new SteppedKills(
              () -> hdfs.run(clientConf, FOLDER, sort.shape(), kinds),
              new SteppedFiles(hdfs.cluster(), hdfs.stock(), stripes));
      List<Kill> all = all(kills.undisturbed(), hdfs.dataNodes(), sort.isEachVictim());
      kills.endAtEach(StepSample.of(all, FEW, random), all.size());
      hdfs.assertNoReplicaIsBegun();
      hdfs.assertNothingIsLeft();
    } catch (Exception | AssertionError e) {
      throw new AssertionError("with " + StepSample.seed(), e);
    }
  }

  private static void makeFolder(DistributedFileSystem stock, ErasureCodingPolicy policy)
      throws IOException {
    org.apache.hadoop.fs.Path folder = new org.apache.hadoop.fs.Path(FOLDER);
    stock.mkdirs(folder);
    stock.enableErasureCodingPolicy(policy.getName());
    stock.setErasureCodingPolicy(folder, policy.getName());
  }

  /**
   * A DataNode is held at as many steps as one of them has in the run: which of them has which
   * block of a group is another matter each time, and one has none of it.
   */
  private List<Kill> all(SteppedRun undisturbed, List<String> dataNodes, boolean isEachVictim)
      throws IOException {
    List<Kill> all = new ArrayList<>();
    for (String held : List.of(SteppedAgent.PROCESS, SteppedClient.PROCESS)) {
      int steps = stepsOf(undisturbed, held);
      for (int step = 0; step < steps; step++) {
        all.addAll(at(step, held, anyOf(dataNodes), isEachVictim));
      }
    }
    int most = 0;
    for (String dataNode : dataNodes) {
      most = Math.max(most, undisturbed.steps(dataNode));
    }
    assertThat(most).as("steps of DataNodes").isPositive();
    for (int step = 0; step < most; step++) {
      String held = anyOf(dataNodes);
      all.addAll(at(step, held, held, isEachVictim));
    }
    return all;
  }

  private static int stepsOf(SteppedRun undisturbed, String process) throws IOException {
    int steps = undisturbed.steps(process);
    assertThat(steps).as("steps of the " + process).isPositive();
    return steps;
  }

  private List<Kill> at(int step, String held, String dataNode, boolean isEachVictim) {
    List<String> victims = List.of(SteppedAgent.PROCESS, SteppedClient.PROCESS, dataNode);
    List<String> chosen = isEachVictim ? victims : List.of(anyOf(victims));
    return chosen.stream().map(victim -> new Kill(held, step, victim)).toList();
  }

  private String anyOf(List<String> processes) {
    return processes.get(random.nextInt(processes.size()));
  }
}
