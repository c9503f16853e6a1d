// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.cold;

import io.rdio.bench.cold.ColdBenchmark.File;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterBenchmarkCommand;
import io.rdio.bench.hdfs.Sizes;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench cold}: its options. */
@Command(
    name = "cold",
    mixinStandardHelpOptions = true,
    description = {
      "Whole processes of 'hdfs dfs -cat', each a fresh JVM: by stock HDFS, by RDIO without an agent"
          + " as it is by default, by RDIO that opens the device for the first read, and by the agent"
          + " of this host. Time, CPU, classes and memory.",
      "On a throwaway cluster on this machine. Needs root."
    })
public final class ColdCommand extends ClusterBenchmarkCommand<File> {
  @Option(
      names = "--sizes",
      paramLabel = "SIZES",
      description = "Sizes of the files. Default: ${DEFAULT-VALUE}.")
  private String sizes = "1m,16m,128m,512m";

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds. Default: ${DEFAULT-VALUE}.")
  private int rounds = 5;

  @Override
  protected ClusterBenchmark<File> benchmark() {
    List<Long> bytes = new ArrayList<>();
    for (String size : sizes.split(",", -1)) {
      bytes.add(Sizes.parse(size));
    }
    return new ColdBenchmark(bytes, rounds);
  }
}
