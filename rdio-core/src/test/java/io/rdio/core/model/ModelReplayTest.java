// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdio.core.model.Replay.Rules;
import io.rdio.core.model.Trace.Step;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.Requirements;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.grant.ReplayedDataNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs of the model on the code (docs/model/README.md): where the two differ, one of them is wrong.
 * Random runs must be followed to the end; counterexamples of the model without a rule must be left
 * at the step that the rule forbids; and a code without a rule must be caught.
 */
final class ModelReplayTest {
  private static final int RANDOM_RUNS = 320;
  private static final Set<String> NEW_WITNESS_FILE = Set.of("start", "swap");

  @TempDir static Path traces;
  private static final ReplayedReader READER = new ReplayedReader();
  private static List<Trace> randomRuns = List.of();

  @TempDir(factory = InMemory.class)
  Path root;

  private int replays;

  @BeforeAll
  static void makeTraces() throws IOException {
    Requirements.requireTool("spin");
    Requirements.requireTool("gcc");
    Path check = Path.of("..", "docs", "model", "check").toRealPath();
    Command.run(check.toString(), "--traces", traces.toString(), Integer.toString(RANDOM_RUNS));
    randomRuns = readRandom();
  }

  private static List<Trace> readRandom() throws IOException {
    List<Trace> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(traces)) {
      for (Path file :
          files.filter(file -> file.getFileName().toString().startsWith("random")).toList()) {
        all.add(Trace.read(file));
      }
    }
    assertThat(all).hasSize(RANDOM_RUNS);
    return all;
  }

  private Path newRoot() throws IOException {
    return Files.createDirectory(root.resolve(Integer.toString(++replays)));
  }

  private void follow(Trace trace) throws Exception {
    follow(trace, new ReplayedDataNode(newRoot()), Rules.ALL);
  }

  private static void follow(Trace trace, ReplayedDataNode dataNode, Rules rules) throws Exception {
    try (Replay replay = new Replay(dataNode, READER, rules)) {
      replay.follow(trace);
    }
  }

  @Test
  void codeFollowsRandomRunsOfTheModel() throws Exception {
    List<String> left = new ArrayList<>();
    int steps = 0;
    for (Trace trace : randomRuns) {
      try {
        follow(trace);
        steps += trace.steps().size();
      } catch (Divergence e) {
        if (!isRefusedForANewWitnessFile(trace, e)) {
          left.add(trace.name() + ": " + e.getMessage());
        }
      } catch (AssertionError e) {
        left.add(trace.name() + ": " + e.getMessage());
      }
    }
    assertThat(left).isEmpty();
    assertThat(steps).isGreaterThan(RANDOM_RUNS * 50);
  }

  /**
   * The code does less than the model here: a plugin's start and a hot swap make a new witness
   * file. If that comes between a grant and the moment in which its client has it, the device never
   * shows that client the witness of its map, and so the client does not read by it.
   */
  private static boolean isRefusedForANewWitnessFile(Trace trace, Divergence left) {
    int client = trace.steps().get(left.number() - 1).client();
    List<String> before =
        trace.steps().subList(0, left.number() - 1).stream()
            .filter(step -> step.client() == client || NEW_WITNESS_FILE.contains(step.name()))
            .map(Step::name)
            .toList();
    int accepted = before.lastIndexOf("accept");
    if (!left.step().equals("send") || accepted < 0) {
      return false;
    }
    List<String> underWay = before.subList(0, accepted);
    int granted = Math.max(underWay.lastIndexOf("map"), underWay.lastIndexOf("share"));
    return underWay.subList(granted, accepted).stream().anyMatch(NEW_WITNESS_FILE::contains);
  }

  /**
   * Where the code leaves the run that is possible without the rule. NO_DURABLE_PIN: the code has a
   * link that was made durable, where the model lost it. NO_JUMP_CHECK and JUMP_REBASED: the code
   * ends leases at the first pause. SHORT_IO: the code's pin outlives its lease. GRANT_IN_RECALL: a
   * loop of which the first renewal is refused.
   */
  @ParameterizedTest
  @CsvSource({
    "NO_DURABLE_PIN, power_loss",
    "NO_RECHECK, look_again",
    "NO_POST_CHECK, use",
    "NO_GRACE, sweep",
    "COUNT_FROM_REPLY, accept",
    "RETURN_UNKNOWN, return_lease",
    "RETURN_IS_NOTHING, return_lease",
    "OTHERS_RETURN, stranger",
    "NO_WITNESS, send_copy",
    "WITNESS_FIRST, send_copy",
    "NO_NONCE, send_copy",
    "NONCE_OF_INCARNATION, send_copy",
    "NO_JUMP_CHECK, accept",
    "JUMP_REBASED, accept",
    "SHORT_IO, tick_clock",
    "GRANT_IN_RECALL, renew",
  })
  void codeLeavesTheCounterexampleOf(String rule, String step) throws Exception {
    Trace trace = Trace.read(traces.resolve(rule + ".trace"));
    Throwable left = catchThrowable(() -> follow(trace));
    assertThat(left).isInstanceOf(Divergence.class);
    assertThat(((Divergence) left).step()).as(left.getMessage()).isEqualTo(step);
  }

  /** Fails unless the code, changed like this, leaves one of the random runs. */
  private void assertCaught(Function<Path, ReplayedDataNode> dataNode, Rules rules)
      throws Exception {
    for (Trace trace : randomRuns) {
      try {
        follow(trace, dataNode.apply(newRoot()), rules);
      } catch (Divergence | AssertionError e) {
        return;
      }
    }
    throw new AssertionError("nothing was noticed in " + RANDOM_RUNS + " runs");
  }

  @Test
  void dataNodeThatRenewsDuringARecallIsCaught() throws Exception {
    assertCaught(
        path ->
            new ReplayedDataNode(path) {
              @Override
              public long[] renew(String client, long ofIncarnation, long[] ids) {
                long[] terms = super.renew(client, ofIncarnation, ids);
                Arrays.fill(terms, GrantFixture.LEASE_MILLIS);
                return terms;
              }
            },
        Rules.ALL);
  }

  @Test
  void dataNodeThatLetsPinsGoTooEarlyIsCaught() throws Exception {
    assertCaught(
        path ->
            new ReplayedDataNode(path) {
              @Override
              public void tick() {
                super.tick();
                super.tick();
              }
            },
        Rules.ALL);
  }

  @Test
  void dataNodeThatIgnoresReturnsIsCaught() throws Exception {
    assertCaught(
        path ->
            new ReplayedDataNode(path) {
              @Override
              public void giveBack(String client, long ofIncarnation, long[] ids) {}
            },
        Rules.ALL);
  }

  @Test
  void dataNodeThatTakesAReturnFromAnybodyIsCaught() throws Exception {
    assertCaught(
        path ->
            new ReplayedDataNode(path) {
              @Override
              public void giveBack(String client, long ofIncarnation, long[] ids) {
                super.giveBack("client0", incarnation(), ids);
                super.giveBack("client1", incarnation(), ids);
              }
            },
        Rules.ALL);
  }

  @Test
  void clientWithoutAMarginIsCaught() throws Exception {
    assertCaught(ReplayedDataNode::new, new Rules(Duration.ZERO, true, true));
  }

  @Test
  void clientThatBelievesAnyCopyIsCaught() throws Exception {
    Rules rules = new Rules(Rules.ALL.margin(), false, true);
    assertCaught(ReplayedDataNode::new, rules);
  }

  @Test
  void clientWithoutAFenceIsCaught() throws Exception {
    Rules rules = new Rules(Rules.ALL.margin(), true, false);
    assertCaught(ReplayedDataNode::new, rules);
  }
}
