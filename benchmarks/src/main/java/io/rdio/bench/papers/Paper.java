// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

/** The papers, by what ids of figures begin with. */
enum Paper {
  RDIO(
      "rdio",
      "RDIO / MinRDIO",
      "D. Han and others: Improving Remote File Access in Distributed Object Stores by Decoupling"
          + " Metadata and Data Paths Using NVMe-oF. IEEE Micro 45(6), 2025"),
  EXT4_OF(
      "ext4of",
      "EXT4-oF",
      "T. A. Nguyen and others: NVMe-Driven Lazy Cache Coherence for Immutable Data with NVMe over"
          + " Fabrics. IEEE CLOUD 2023"),
  S3_FIFO(
      "s3fifo",
      "S3-FIFO",
      "J. Yang and others: FIFO Queues are All You Need for Cache Eviction. SOSP 2023"),
  BNEX("bnex", "BNEX", "BNEX, a near-exclusive storage cache. APSys 2025"),
  CHARACTERIZATION(
      "io",
      "I/O characterization",
      "Pioli and others: I/O characterization of storage hierarchies");

  private final String prefix;
  private final String shortName;
  private final String citation;

  Paper(String prefix, String shortName, String citation) {
    this.prefix = prefix;
    this.shortName = shortName;
    this.citation = citation;
  }

  /** What its figures' ids begin with. */
  String prefix() {
    return prefix;
  }

  /** What this project calls it. */
  String shortName() {
    return shortName;
  }

  /** Authors, title, place. */
  String citation() {
    return citation;
  }
}
