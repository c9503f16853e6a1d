// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the links may carry for each byte of a written file.
 *
 * @param stored how many bytes are stored for one of the file: replicas, or data and parity
 */
record WriteBounds(double stored) {
  /** Of each byte that is stored: CRC-32C of 512 bytes each, HDFS's default. */
  private static final double CRC = 4.0 / 512;

  /** What headers, acknowledgements and commands may add to it. */
  private static final double HEADERS_MAX = 0.02;

  private static final double COMPUTE_HEADERS_MAX = 0.01;

  /** Of what stock HDFS moves over each of both, at least; headers make it more. */
  private static final double STOCK_MIN = 0.98;

  /** CRCs on one link: they go to the DataNode, and from there to the device. */
  double crcs() {
    return CRC * stored;
  }

  /** Data on the storage fabric, and CRCs on both. */
  double explained() {
    return stored + 2 * crcs();
  }

  /** On all links, by RDIO. */
  double allLinksMax() {
    return explained() + HEADERS_MAX;
  }

  /** On the compute network, by RDIO. */
  double computeMax() {
    return crcs() + COMPUTE_HEADERS_MAX;
  }

  /** There, at least, or its bytes were not seen. */
  double computeMin() {
    return crcs() / 2;
  }

  /** What was asked for on all links by RDIO, without a thought of CRCs. */
  double asked() {
    return stored + HEADERS_MAX;
  }

  /** On the storage fabric, and on the compute network, by stock HDFS. */
  double stockMin() {
    return STOCK_MIN * stored;
  }

  /** For the JSON. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("stored", stored);
    fields.put("crcs_on_each", crcs());
    fields.put("all_links_max", allLinksMax());
    fields.put("compute_max", computeMax());
    fields.put("asked", asked());
    fields.put("stock_min_on_each", stockMin());
    return fields;
  }
}
