// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import io.rdio.hdfs.testbed.Meter.Reading;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The network table of the RDIO paper for reads: objects of four sizes read as a whole, one after
 * the other, with no map of them cached at the client and then with all, against stock HDFS. The
 * DataNode's page cache is cold each time. Opening is part of it: the NameNode's answers, the map's
 * grant, and what the file system reads ahead.
 */
final class TablePart {
  private record Row(FileSet files, Reading stock, Reading coldMaps, Reading warmMaps) {
    Map<String, Object> fields() {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("object_bytes", files.bytesEach());
      fields.put("objects", files.count());
      fields.put("stock", stock.perByte());
      fields.put("rdio_cold_maps", coldMaps.perByte());
      fields.put("rdio_warm_maps", warmMaps.perByte());
      return fields;
    }
  }

  private final List<Row> rows = new ArrayList<>();

  private TablePart() {}

  private static List<FileSet> sizes(long largest) {
    return List.of(
        new FileSet("/table/4k-", 24, 4L << 10),
        new FileSet("/table/32k-", 24, 32L << 10),
        new FileSet("/table/1m-", 8, 1L << 20),
        new FileSet("/table/largest-", 1, largest));
  }

  /**
   * Reads all of them in each way.
   *
   * @param largest bytes of the largest object
   */
  static TablePart run(Meter meter, Client client, long largest, PrintStream out)
      throws IOException {
    TablePart table = new TablePart();
    out.printf(
        "testbed: %10s %9s %9s %9s %9s %9s   %s%n",
        "object", "stock", "rdio", "stock/", "rdio", "stock/", "bytes on all links per byte read");
    out.printf(
        "testbed: %10s %9s %9s %9s %9s %9s%n", "", "", "cold maps", "rdio", "warm maps", "rdio");
    for (FileSet files : sizes(largest)) {
      String sha256 = client.write(files);
      Row row =
          new Row(
              files,
              meter.read(false, files, sha256, true),
              meter.read(true, files, sha256, true),
              meter.read(true, files, sha256, true));
      table.rows.add(row);
      out.printf(
          Locale.ROOT,
          "testbed: %7d KB %9.3f %9.3f %9.2f %9.3f %9.2f%n",
          files.bytesEach() >> 10,
          row.stock().total(),
          row.coldMaps().total(),
          row.stock().total() / row.coldMaps().total(),
          row.warmMaps().total(),
          row.stock().total() / row.warmMaps().total());
    }
    return table;
  }

  /** For the JSON. */
  List<Map<String, Object>> fields() {
    return rows.stream().map(Row::fields).toList();
  }

  /** Whether RDIO carried every byte that it was to carry. */
  boolean allByRdio() {
    return rows.stream()
        .allMatch(
            row -> row.coldMaps().outcome().allByRdio() && row.warmMaps().outcome().allByRdio());
  }
}
