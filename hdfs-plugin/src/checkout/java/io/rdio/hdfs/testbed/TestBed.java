// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.util.JsonSerialization;

/**
 * What the guest runs when its hosts and devices are there: starts HDFS if a part needs it, takes
 * the parts asked for one after the other, and leaves {@code result.json} and the exit {@code
 * status} in its folder.
 */
final class TestBed {
  private static final long MB = 1L << 20;

  /** Of the large file that is read, of the table's largest object, of large files written. */
  private record Sizes(long file, long object, long written) {
    static Sizes of(boolean little) {
      return little ? new Sizes(32 * MB, 32 * MB, 36 * MB) : new Sizes(48 * MB, 128 * MB, 48 * MB);
    }
  }

  private TestBed() {}

  /**
   * Arguments: the folder that is shared with the host; the script {@code fabric}; the parts,
   * separated by commas; seconds for each kind of attacked readers; "yes" for less to read and to
   * write where bytes on the links are counted; how many hosts have a DataNode.
   */
  public static void main(String[] args) throws IOException {
    Path shared = Path.of(args[0]);
    int dataNodes = Integer.parseInt(args[5]);
    Fabric fabric = new Fabric(Path.of(args[1]), dataNodes);
    List<String> parts = List.of(args[2].split(",", -1));
    PrintStream out = System.out;
    Map<String, Object> fields = new LinkedHashMap<>();
    Path folder = Files.createDirectories(Path.of("/run/hdfs"));
    boolean asItShould;
    if (parts.contains("near-exclusive")) {
      NearExclusivePart part = NearExclusivePart.run(fabric, folder, shared, out);
      fields.put("near_exclusive", part.fields());
      asItShould = part.allOk();
    } else if (parts.contains("attack")) {
      AttackPart part = AttackPart.run(fabric, folder, shared, Integer.parseInt(args[3]), out);
      fields.put("attack", part.fields());
      asItShould = part.allOk();
    } else {
      Sizes sizes = Sizes.of(args[4].equals("yes"));
      out.println("testbed: starting NameNode, DataNodes (" + dataNodes + ") and client");
      Map<String, String> keys = keys(parts, sizes);
      try (FabricHdfs hdfs = new FabricHdfs(folder, shared, keys, dataNodes)) {
        asItShould = withHdfs(fabric, hdfs, parts, sizes, fields);
      }
    }
    out.println("testbed: " + (asItShould ? "all as it should be" : "NOT AS IT SHOULD BE"));
    Files.writeString(shared.resolve("status"), asItShould ? "0" : "1");
    Files.writeString(
        shared.resolve("result.json"),
        new JsonSerialization<>(Map.class, false, true).toJson(fields) + "\n");
  }

  /** What a part wants of all HDFS; such a part goes alone. */
  private static Map<String, String> keys(List<String> parts, Sizes sizes) {
    return switch (parts.get(0)) {
      case "fenced-writes" -> FencedWritesPart.KEYS;
      case "write-traffic" -> WriteTrafficPart.keys(sizes.written());
      case "write-cables" -> WriteCablesPart.KEYS;
      default -> Map.of();
    };
  }

  /** Takes the parts that need HDFS; says whether all was as it should be. */
  private static boolean withHdfs(
      Fabric fabric, FabricHdfs hdfs, List<String> parts, Sizes sizes, Map<String, Object> fields)
      throws IOException {
    PrintStream out = System.out;
    boolean asItShould = true;
    Meter meter = new Meter(fabric, hdfs);
    if (parts.contains("traffic")) {
      TrafficPart traffic = TrafficPart.run(meter, hdfs.client(), sizes.file(), out);
      fields.putAll(traffic.fields());
      asItShould &= traffic.targetsReached();
    }
    if (parts.contains("table")) {
      TablePart table = TablePart.run(meter, hdfs.client(), sizes.object(), out);
      fields.put("table", table.fields());
      asItShould &= table.allByRdio();
    }
    if (parts.contains("traffic") || parts.contains("table")) {
      fields.put("sha256_ok", meter.sha256Ok());
      asItShould &= meter.sha256Ok();
    }
    if (parts.contains("faults")) {
      FaultsPart faults = FaultsPart.run(fabric, hdfs.client(), out);
      fields.put("faults", faults.fields());
      asItShould &= faults.allOk();
    }
    if (parts.contains("fence")) {
      FencePart fence = FencePart.run(fabric, hdfs, out);
      fields.put("fence", fence.fields());
      asItShould &= fence.allOk();
    }
    asItShould &= alone(fabric, hdfs, meter, parts, fields);
    asItShould &= writes(fabric, hdfs, parts, sizes, fields);
    return asItShould;
  }

  /** The same of a part that goes with none of those, if one was asked for. */
  private static boolean alone(
      Fabric fabric, FabricHdfs hdfs, Meter meter, List<String> parts, Map<String, Object> fields)
      throws IOException {
    PrintStream out = System.out;
    boolean asItShould = true;
    if (parts.contains("fenced-xfs")) {
      FencedXfsPart fenced = FencedXfsPart.run(hdfs, out);
      fields.put("fenced_xfs", fenced.fields());
      asItShould &= fenced.allOk();
    }
    if (parts.contains("multipath")) {
      MultipathPart multipath = MultipathPart.run(fabric, meter, hdfs.client(), out);
      fields.put("multipath", multipath.fields());
      asItShould &= multipath.allOk();
    }
    return asItShould;
  }

  /** The same of one that writes past the DataNodes; such a part goes alone, too. */
  private static boolean writes(
      Fabric fabric, FabricHdfs hdfs, List<String> parts, Sizes sizes, Map<String, Object> fields)
      throws IOException {
    PrintStream out = System.out;
    boolean asItShould = true;
    if (parts.contains("fenced-writes")) {
      FencedWritesPart writes = FencedWritesPart.run(fabric, hdfs, out);
      fields.put("fenced_writes", writes.fields());
      asItShould &= writes.allOk();
    }
    if (parts.contains("write-traffic")) {
      WriteTrafficPart writes = WriteTrafficPart.run(fabric, hdfs, sizes.written(), out);
      fields.put("write_traffic", writes.fields());
      asItShould &= writes.allOk();
    }
    if (parts.contains("write-cables")) {
      WriteCablesPart cables = WriteCablesPart.run(fabric, hdfs, out);
      fields.put("write_cables", cables.fields());
      asItShould &= cables.allOk();
    }
    return asItShould;
  }
}
