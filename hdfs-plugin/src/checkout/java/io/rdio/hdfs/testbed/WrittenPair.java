// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.LinkBytes.COMPUTE;
import static io.rdio.hdfs.testbed.LinkBytes.STORAGE;
import static io.rdio.hdfs.testbed.LinkBytes.TOTAL;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Two files that were written in one way, and are alike but for their length. They may be on
 * different DataNodes, so that only sums over links tell what a byte costs.
 */
record WrittenPair(WriteMeter.Written smaller, WriteMeter.Written larger) {
  List<WriteMeter.Written> both() {
    return List.of(smaller, larger);
  }

  /** Bytes on several links, by the name of their sum, for one of the file. */
  double perByte(String sum) {
    return cost(sum).perByte();
  }

  /** Bytes there for a file besides. */
  double perFile(String sum) {
    return cost(sum).perFile();
  }

  private WriteCost cost(String sum) {
    return WriteCost.of(smaller.on(sum), larger.on(sum));
  }

  /** For the JSON. */
  Map<String, Object> fields() {
    Map<String, Object> perByte = new LinkedHashMap<>();
    Map<String, Object> perFile = new LinkedHashMap<>();
    for (String sum : List.of(STORAGE, COMPUTE, TOTAL)) {
      perByte.put(sum, perByte(sum));
      perFile.put(sum, Math.round(perFile(sum)));
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("per_byte", perByte);
    fields.put("per_file", perFile);
    fields.put("smaller", fields(smaller));
    fields.put("larger", fields(larger));
    return fields;
  }

  private static Map<String, Object> fields(WriteMeter.Written file) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("bytes", file.files().bytes());
    fields.put("links", file.links().figures());
    return fields;
  }
}
