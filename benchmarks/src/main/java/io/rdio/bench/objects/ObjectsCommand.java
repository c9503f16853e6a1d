// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.objects;

import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterBenchmarkCommand;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.objects.ObjectsBenchmark.WholeFiles;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench objects}: its options. */
@Command(
    name = "objects",
    mixinStandardHelpOptions = true,
    description = {
      "Whole files, as objects of a store: opened, read and closed, by stock HDFS, by RDIO and from"
          + " the raw device. RDIO reads each twice: files that nobody has opened before, and the"
          + " same again, whose maps are in its FileMap cache.",
      "On a throwaway cluster on this machine. Needs root."
    })
public final class ObjectsCommand extends ClusterBenchmarkCommand<WholeFiles> {
  @Option(
      names = "--sizes",
      paramLabel = "SIZES",
      description = "Sizes of the files. Default: ${DEFAULT-VALUE}.")
  private String sizes = "4k,16k,64k,256k,1m,4m,16m,64m,128m";

  @Option(
      names = "--files",
      paramLabel = "N",
      description = "Files of a size in a pass, at most. Default: ${DEFAULT-VALUE}.")
  private int files = 64;

  @Option(
      names = "--pass-bytes",
      paramLabel = "SIZE",
      description =
          "Bytes of a pass, at most: of large sizes there are fewer files, one at least. Default:"
              + " ${DEFAULT-VALUE}.")
  private String passBytes = "256m";

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads that read at the same time. Default: ${DEFAULT-VALUE}.")
  private int threads = 1;

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds. Default: ${DEFAULT-VALUE}.")
  private int rounds = 3;

  @Option(
      names = "--metadata-plane",
      paramLabel = "grpc|device",
      description =
          "Where RDIO has maps from: the DataNode, or the device, as when that is silent. Default:"
              + " ${DEFAULT-VALUE}.")
  private String plane = "grpc";

  @Override
  protected ClusterBenchmark<WholeFiles> benchmark() {
    List<Long> bytes = new ArrayList<>();
    for (String size : sizes.split(",", -1)) {
      bytes.add(Sizes.parse(size));
    }
    return new ObjectsBenchmark(bytes, files, Sizes.parse(passBytes), threads, rounds, plane);
  }
}
