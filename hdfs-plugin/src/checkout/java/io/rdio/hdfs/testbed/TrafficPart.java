// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import io.rdio.hdfs.testbed.Meter.Reading;
import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** One large file read by stock HDFS and by RDIO: what each link carries for a byte. */
final class TrafficPart {
  private static final FileSet WARM_UP = new FileSet("/warm-up", 3, 1L << 20);

  /** The second transfer is what stock HDFS has beyond one. */
  private static final double STOCK_TOTAL_MIN = 1.95;

  private static final double RDIO_TOTAL_MAX = 1.03;
  private static final double RDIO_COMPUTE_MAX = 0.02;

  private final Map<String, Reading> readings = new LinkedHashMap<>();

  private TrafficPart() {}

  /**
   * Reads it in each way.
   *
   * @param bytes of the file
   */
  static TrafficPart run(Meter meter, Client client, long bytes, PrintStream out)
      throws IOException {
    FileSet file = new FileSet("/traffic", 1, bytes);
    out.println("testbed: writing, and warming up the client and the DataNode");
    // On their first call both load their classes; the DataNode's do not come over the links.
    String warmUp = client.write(WARM_UP);
    meter.read(false, WARM_UP, warmUp, false);
    meter.read(true, WARM_UP, warmUp, false);
    String sha256 = client.write(file);
    TrafficPart part = new TrafficPart();
    out.printf(
        "testbed: %-12s %14s %14s %14s %8s %8s  bytes per byte read, %d MB%n",
        "", "storage->DN", "DN->client", "storage->client", "total", "by RDIO", file.bytes() >> 20);
    part.add("stock_cold", meter.read(false, file, sha256, true), out);
    part.add("stock_warm", meter.read(false, file, sha256, false), out);
    part.add("rdio_cold", meter.read(true, file, sha256, true), out);
    part.add("rdio_warm", meter.read(true, file, sha256, true), out);
    return part;
  }

  private void add(String name, Reading reading, PrintStream out) {
    readings.put(name, reading);
    out.printf(
        Locale.ROOT,
        "testbed: %-12s %14.4f %14.4f %14.4f %8.4f %7.0f%%  %s%n",
        name,
        reading.perByte().get("storage_to_datanode"),
        reading.perByte().get("datanode_to_client"),
        reading.perByte().get("storage_to_client"),
        reading.total(),
        100.0 * reading.outcome().rdioBytes() / reading.outcome().bytes(),
        reading.outcome().fallbacks().isEmpty() ? "" : reading.outcome().fallbacks());
  }

  /** For the JSON. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    readings.forEach((name, reading) -> fields.put(name, reading.perByte()));
    return fields;
  }

  /** Whether the figures are what RDIO is for. */
  boolean targetsReached() {
    return total("stock_cold") >= STOCK_TOTAL_MIN
        && total("rdio_cold") <= RDIO_TOTAL_MAX
        && total("rdio_warm") <= RDIO_TOTAL_MAX
        && compute("rdio_cold") <= RDIO_COMPUTE_MAX
        && compute("rdio_warm") <= RDIO_COMPUTE_MAX;
  }

  private double total(String name) {
    Reading reading = readings.get(name);
    return reading == null ? Double.NaN : reading.total();
  }

  private double compute(String name) {
    Reading reading = readings.get(name);
    return reading == null
        ? Double.NaN
        : reading.perByte().getOrDefault("datanode_to_client", Double.NaN);
  }
}
