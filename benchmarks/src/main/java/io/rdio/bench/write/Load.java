// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import io.rdio.bench.client.Output;
import io.rdio.bench.hdfs.Sizes;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is measured.
 *
 * @param isStream whether each thread writes one file; else one file after the other
 * @param redundancy of the files
 * @param files of a pass at most
 */
record Load(boolean isStream, Redundancy redundancy, Output output, int files) {
  /** For JSON. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("load", isStream ? "stream" : "objects");
    fields.putAll(redundancy.fields());
    fields.put("file_bytes", output.bytes());
    fields.put("array_bytes", output.arrayBytes());
    fields.put("block_bytes", output.blockBytes());
    fields.put("files_max", files);
    return fields;
  }

  @Override
  public String toString() {
    return redundancy
        + (isStream
            ? ", arrays of " + Sizes.label(output.arrayBytes())
            : ", " + Sizes.label(output.bytes()));
  }
}
