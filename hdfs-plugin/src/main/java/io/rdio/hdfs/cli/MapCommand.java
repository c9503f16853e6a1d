// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.time.BootTimeClock;
import io.rdio.hdfs.cli.BlockMaps.Usable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.util.JsonSerialization;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rdio map}: where the blocks of a file lie on the device, or why that is not known. */
@Command(
    name = "map",
    mixinStandardHelpOptions = true,
    description = {
      "Where the blocks of a file lie on this host's devices, or the reason why a client here"
          + " would read them by stock HDFS.",
      "Asks the DataNodes for file maps as a reader does; their leases are returned in the end.",
      "Exit status: 0 if every block has a map, else 1."
    })
final class MapCommand implements Callable<Integer> {
  private static final int EXTENTS_SHOWN = 8;
  private static final double NANOS = 1e9;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClientOptions options = new ClientOptions();

  @Parameters(paramLabel = "PATH", description = "a file in HDFS")
  private String name = "";

  @Option(names = "--all", description = "list every extent, not the first " + EXTENTS_SHOWN)
  private boolean all;

  @Option(names = "--json", description = "all of it for programs; offsets and lengths in bytes")
  private boolean json;

  /** One block with its map, or with the refusal. Exactly one of the two is there. */
  private record Found(
      LocatedBlock block, @Nullable Usable usable, @Nullable FallbackException refusal) {}

  @Override
  public Integer call() throws IOException {
    Configuration conf = options.configuration();
    try (Hdfs hdfs = Hdfs.open(conf, name);
        BlockMaps maps = new BlockMaps(hdfs.fs().getConf())) {
      if (hdfs.fs().getFileStatus(hdfs.path()).isDirectory()) {
        throw new IOException(hdfs.path() + " is a directory; fix: name a file");
      }
      List<Found> found = find(hdfs, maps);
      PrintWriter out = spec.commandLine().getOut();
      if (json) {
        out.println(json(hdfs, found));
      } else {
        out.printf("%s: %d blocks%n", hdfs.path(), found.size());
        found.forEach(each -> print(each, out));
      }
      return found.stream().allMatch(each -> each.usable() != null) ? 0 : 1;
    }
  }

  private static List<Found> find(Hdfs hdfs, BlockMaps maps) throws IOException {
    LocatedBlocks blocks = hdfs.blocks(hdfs.path());
    List<Found> found = new ArrayList<>();
    for (LocatedBlock block : blocks.getLocatedBlocks()) {
      try {
        if (blocks.isUnderConstruction()) {
          throw new FallbackException(
              FallbackReason.FILE_UNDER_CONSTRUCTION, hdfs.path().toString());
        }
        found.add(new Found(block, maps.of(Hdfs.source(hdfs.path()), block), null));
      } catch (FallbackException e) {
        found.add(new Found(block, null, e));
      }
    }
    return found;
  }

  private void print(Found found, PrintWriter out) {
    out.printf("%s, %d bytes%n", BlockMaps.key(found.block()), found.block().getBlockSize());
    FallbackException refusal = found.refusal();
    if (refusal != null) {
      out.println("  no map    " + Failures.text(refusal));
      out.println("  fix       " + refusal.reason().fix());
    }
    Usable usable = found.usable();
    if (usable != null) {
      FileMap map = usable.map();
      out.println("  DataNode  " + map.dataNode() + ", storage " + map.storageId());
      out.println("  device    " + usable.device().name() + ", " + map.device());
      out.printf(Locale.ROOT, "  lease     %.1f s left%n", leaseNanos(map) / NANOS);
      print("block", map.blockExtents(), out);
      print("meta", map.metaExtents(), out);
    }
  }

  private void print(String file, ExtentList extents, PrintWriter out) {
    out.printf("  %-8s  %d extents, %d bytes%n", file, extents.count(), extents.length());
    int shown = all ? extents.count() : Math.min(EXTENTS_SHOWN, extents.count());
    for (int i = 0; i < shown; i++) {
      out.printf(
          "            %d..%d at %d of the device%n",
          extents.start(i), extents.end(i), extents.physical(i));
    }
    if (shown < extents.count()) {
      out.printf("            and %d more; --all lists them%n", extents.count() - shown);
    }
  }

  private static long leaseNanos(FileMap map) {
    return Math.max(0, map.guard().remainingNanos(new BootTimeClock().nanos()));
  }

  private static String json(Hdfs hdfs, List<Found> found) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("path", hdfs.path().toString());
    fields.put("blocks", found.stream().map(MapCommand::fields).toList());
    return new JsonSerialization<>(Map.class, false, true).toJson(fields);
  }

  private static Map<String, Object> fields(Found found) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("block", BlockMaps.key(found.block()).toString());
    fields.put("length", found.block().getBlockSize());
    FallbackException refusal = found.refusal();
    if (refusal != null) {
      fields.put("reason", refusal.reason().name());
      fields.put("detail", refusal.detail());
      fields.put("fix", refusal.reason().fix());
    }
    Usable usable = found.usable();
    if (usable != null) {
      FileMap map = usable.map();
      fields.put("datanode", map.dataNode());
      fields.put("storage", map.storageId());
      fields.put("device", usable.device().name());
      fields.put("lease_millis", leaseNanos(map) / 1_000_000);
      fields.put("block_extents", fields(map.blockExtents()));
      fields.put("meta_extents", fields(map.metaExtents()));
    }
    return fields;
  }

  private static List<Map<String, Long>> fields(ExtentList extents) {
    List<Map<String, Long>> list = new ArrayList<>();
    for (int i = 0; i < extents.count(); i++) {
      long length = extents.end(i) - extents.start(i);
      list.add(
          Map.of("offset", extents.start(i), "length", length, "physical", extents.physical(i)));
    }
    return list;
  }
}
