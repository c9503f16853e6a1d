// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.FallbackException;
import io.rdio.core.fence.FenceRecords;
import io.rdio.core.linux.VolumeDevice;
import io.rdio.datanode.volume.FenceRecordedVolumes;
import io.rdio.datanode.volume.VolumeIdentifier;
import io.rdio.datanode.volume.VolumeRemoval;
import io.rdio.datanode.volume.VolumeRemoval.Found;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rdio uninstall}: removes what RDIO keeps on this host's DataNode's volumes. */
@Command(
    name = "uninstall",
    mixinStandardHelpOptions = true,
    description = {
      "Remove what RDIO keeps on the volumes of this host's DataNode: VOLUME/rdio, with the hard"
          + " links that pin blocks and the slots of remote writes. HDFS's own files are not"
          + " touched.",
      "To be run as the DataNode's user while the DataNode is stopped: a volume in use is refused."
          + " Where blocks are pinned, or slots are lent to agents, it waits until the leases on"
          + " them have run out.",
      "Exit status: 0 if nothing of RDIO is left, else 1."
    })
final class UninstallCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClientOptions options = new ClientOptions();

  @Option(names = "--dry-run", description = "only say what would be removed")
  private boolean dryRun;

  @Option(
      names = "--records",
      paramLabel = "FOLDER",
      description = "where 'rdio fence' keeps what was fenced (default: ${DEFAULT-VALUE})")
  private Path records = FenceRecords.DEFAULT;

  @Parameters(
      arity = "0..*",
      paramLabel = "VOLUME",
      description = "storage directory; those in dfs.datanode.data.dir if none is named")
  private List<Path> named = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    boolean complete = true;
    try (OpenVolumes open = OpenVolumes.none()) {
      for (Path volume : once(named.isEmpty() ? configured() : named)) {
        try {
          requireFenced(volume, new FenceRecords(records));
          if (!open.open(volume, dryRun)) {
            out.println(volume + ": nothing of RDIO is there");
          }
        } catch (IOException e) {
          complete = false;
          out.println(volume + ": " + Failures.text(e));
        }
      }
      long hold = describe(open.all(), out);
      if (dryRun) {
        return complete ? 0 : 1;
      }
      waitFor(hold, out);
      for (Map.Entry<Path, VolumeRemoval> each : open.all().entrySet()) {
        complete &= remove(each.getKey(), each.getValue(), out);
      }
    }
    return complete ? 0 : 1;
  }

  /** Nothing is unpinned while it is not known whether the host before may still write. */
  private static void requireFenced(Path volume, FenceRecords records) throws IOException {
    VolumeIdentifier devices = VolumeDevice::identify;
    try {
      new FenceRecordedVolumes(devices, devices, records).requireFenced(volume);
    } catch (FallbackException e) {
      throw new IOException(e.detail(), e);
    }
  }

  /** A second look at a volume would end the lock that keeps DataNodes away from it. */
  private static Collection<Path> once(List<Path> volumes) throws IOException {
    Map<Path, Path> real = new LinkedHashMap<>();
    for (Path volume : volumes) {
      real.putIfAbsent(Files.exists(volume) ? volume.toRealPath() : volume, volume);
    }
    return real.values();
  }

  private List<Path> configured() throws IOException {
    Configuration conf = options.configuration();
    List<Path> volumes = new ArrayList<>();
    for (StorageLocation location : DataNode.getStorageLocations(conf)) {
      URI uri = location.getUri();
      if ("file".equals(uri.getScheme())) {
        volumes.add(Path.of(uri));
      }
    }
    return volumes;
  }

  /** How long leases may still run. */
  private static long describe(Map<Path, VolumeRemoval> open, PrintWriter out) throws IOException {
    long longest = 0;
    for (Map.Entry<Path, VolumeRemoval> each : open.entrySet()) {
      Found found = each.getValue().look();
      out.printf(
          "%s: %d links of pinned blocks, which alone keep %s; leases on them may run for %d s%n",
          each.getKey(),
          found.links().size(),
          Table.bytes(found.bytesOnlyHere()),
          seconds(found.holdMillis()));
      SlotFolders folders = new SlotFolders(each.getKey());
      SlotFolders.Found slots = folders.look();
      if (!slots.files().isEmpty()) {
        out.printf(
            "%s: %d slots for remote writes, %s; agents may write to them for %d s%n",
            each.getKey(),
            slots.files().size(),
            Table.bytes(slots.bytes()),
            seconds(slots.holdMillis()));
      }
      if (!slots.kept().isEmpty()) {
        out.printf(
            "%s: %d links of blocks that were to be slots again, which alone keep %s%n",
            each.getKey(), slots.kept().size(), Table.bytes(slots.keptBytes()));
      }
      Stream.concat(
              found.strange().stream().filter(path -> !path.equals(folders.root())),
              slots.strange().stream())
          .forEach(path -> out.println("  not RDIO's, and not touched: " + path));
      longest = Math.max(longest, Math.max(found.holdMillis(), slots.holdMillis()));
    }
    out.flush();
    return longest;
  }

  private static void waitFor(long millis, PrintWriter out) throws IOException {
    if (millis == 0) {
      return;
    }
    out.printf("Waiting %d s until no lease can run any more.%n", seconds(millis));
    out.flush();
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted; nothing was removed");
    }
  }

  private static long seconds(long millis) {
    return (millis + 999) / 1000;
  }

  private static boolean remove(Path volume, VolumeRemoval removal, PrintWriter out) {
    try {
      removal.remove(); // first, for it fails where a DataNode came meanwhile
      List<String> left = new ArrayList<>(new SlotFolders(volume).remove());
      left.addAll(removal.remove());
      if (left.isEmpty()) {
        out.println(volume + ": removed");
        return true;
      }
      left.forEach(line -> out.println(volume + ": left: " + line));
    } catch (IOException e) {
      out.println(volume + ": not removed: " + Failures.text(e));
    }
    return false;
  }
}
