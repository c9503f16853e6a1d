// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ScaleCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String arguments) {
    return new CommandLine(new ScaleCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments.split(" ", -1));
  }

  @Test
  void printsAColumnForEachSizeAndWhatGrows() {
    assertThat(
            run(
                "--datanodes 8 --clients 40 --blocks 2000 --changes 2 --deletions 1 --rack 2"
                    + " --full-datanodes 1 --full-hosts 1 --grant-micros 500 --sizes 0.5,1"
                    + " --seconds 20"))
        .as(err.toString())
        .isZero();
    assertThat(out.toString())
        .contains("4 × 20", "8 × 40")
        .containsPattern("NameNode: calls added +0 +0")
        .containsPattern("storm: never back +0 +0")
        .containsPattern("Grants of the busiest DataNode[^:]*:\\s\\d")
        .contains("cost ~ work to the")
        .contains("host: upkeep, a lease and second");
  }

  @Test
  void refusesARackWithoutTheDataNodesThatAreSimulated() {
    assertThat(run("--rack 1 --full-datanodes 2")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("--rack 1: must be --full-datanodes or more");
  }
}
