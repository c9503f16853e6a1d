// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import io.rdio.hdfs.cluster.ClusterCommand;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.hadoop.util.StringUtils;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code rdio demo}: options, and what becomes of the result. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Shows RDIO at work on a throwaway cluster on this machine.",
      "Makes a file system on a loop device, starts a NameNode and a DataNode, writes a file of"
          + " random bytes, and reads it by stock HDFS, by RDIO and by the agent of the host, each by"
          + " FileSystem.open and by 'hdfs dfs -cat'. Checks every byte, and removes everything in the end."
    })
public final class DemoCommand implements Callable<Integer> {
  /** The least share of bytes by its own way that counts as working. */
  private static final double SHARE_MIN = 0.99;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--fs",
      paramLabel = "ext4|xfs",
      description = "file system of the DataNode's volume (default: ${DEFAULT-VALUE})")
  private String fileSystem = "ext4";

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "size of the file, with Hadoop's suffixes (default: ${DEFAULT-VALUE})")
  private String size = "2g";

  @Option(
      names = "--backing",
      paramLabel = "tmpfs|disk",
      description = "what holds the loop device (default: tmpfs if memory suffices, else disk)")
  private @Nullable Backing backing;

  @Option(names = "--json", paramLabel = "FILE", description = "also write the figures here")
  private @Nullable Path json;

  @Option(names = "--keep", description = "leave the cluster up, and say how to use and stop it")
  private boolean keep;

  @Override
  public Integer call() throws IOException {
    long bytes = parseSize();
    if (!fileSystem.equals("ext4") && !fileSystem.equals("xfs")) {
      throw usage("--fs " + fileSystem + ": take ext4 or xfs");
    }
    return ClusterCommand.run(() -> verdict(run(bytes)));
  }

  private DemoResult run(long bytes) throws IOException {
    Backing chosen = backing == null ? Backing.preferredFor(bytes) : backing;
    DemoResult result = Demo.run(fileSystem, bytes, chosen, keep, System.out);
    if (json != null) {
      Files.writeString(json, result.json());
    }
    return result;
  }

  private static int verdict(DemoResult result) {
    if (!result.sha256Ok()) {
      System.out.println("WRONG: bytes read differ from the bytes written.");
      return 1;
    }
    boolean device = carried("RDIO by the device", result.rdioShare());
    boolean agent = carried("the agent", result.agentShare());
    if (!device || !agent) {
      return 1;
    }
    System.out.println("All bytes read have the SHA-256 of what was written.");
    return 0;
  }

  /** Says so if it did not carry what it was to. */
  private static boolean carried(String who, double share) {
    if (share >= SHARE_MIN) {
      return true;
    }
    System.out.printf(
        Locale.ROOT,
        "NOT AS IT SHOULD BE: %s carried %.1f %% of its clients' bytes, not %.0f %%; the fallbacks"
            + " above say why.%n",
        who,
        100 * share,
        100 * SHARE_MIN);
    return false;
  }

  private long parseSize() {
    try {
      long bytes = StringUtils.TraditionalBinaryPrefix.string2long(size);
      if (bytes > 0) {
        return bytes;
      }
    } catch (IllegalArgumentException e) {
      throw usage("--size " + size + ": " + e.getMessage());
    }
    throw usage("--size " + size + ": must be greater than 0");
  }

  private ParameterException usage(String message) {
    if (spec == null) {
      throw new IllegalStateException("not run by picocli");
    }
    return new ParameterException(spec.commandLine(), message);
  }
}
