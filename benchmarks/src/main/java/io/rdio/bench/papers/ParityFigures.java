// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.List;

/** The RDIO paper's figure 5: parity that comes later, and reads that need none. */
final class ParityFigures {
  private static final String RATIO =
      "throughput with deferred parity, in times of that with immediate parity";

  /** What is less apart is a tie: the ways take turns, and runs differ by as much. */
  private static final double TIE = 0.95;

  private static final String STOCK = "stock";
  private static final String COLD = "rdio 0 %";
  private static final String WARM = "rdio 100 %";

  /** RS-3-2: parity makes up for two. */
  private static final String PARITY = "2";

  private static final String BEYOND_PARITY = "3";

  private ParityFigures() {}

  /** By three and by five DataNodes. */
  static Figure deferred() {
    String title = "deferred parity encoding by (k, r)";
    Figure.Builder figure = ofCodes("5a", title, ParityParts.code(2, 1), ParityParts.code(3, 2));
    return shows(shows(figure, ParityParts.XOR_2_1), ParityParts.RS_3_2).build();
  }

  static Figure deferredOfNine() {
    String title = "deferred parity encoding, nine DataNodes";
    return shows(ofCodes("5a-rs-6-3", title, ParityParts.code(6, 3)), ParityParts.RS_6_3).build();
  }

  private static Figure.Builder shows(Figure.Builder figure, Part part) {
    return figure.shows(part, ParityParts.THROUGHPUT, ParityParts.LATENCY, ParityParts.WITHOUT);
  }

  /** What is written with its parity at once and behind it, of these codes. */
  private static Figure.Builder ofCodes(String number, String title, String... codes) {
    Figure.Builder figure =
        Figure.of(Paper.RDIO, number, title, RdioFigures.cited("5a", RdioFigures.ISSUE))
            .divides(RATIO, ParityParts.THROUGHPUT, ParityParts.DEFERRED, ParityParts.IMMEDIATE)
            .differs(RdioFigures.MINIO)
            .differs(
                "Client, agent and all DataNodes share this machine's cores, which make the"
                    + " deferred parity while the next groups are written; by Hadoop's coder, in"
                    + " Java where Hadoop has no ISA-L")
            .differs("As for replicas, " + RdioFigures.DURABLE);
    for (String code : codes) {
      figure.expects(
          Check.that(
              "deferred parity is written no slower than immediate, but for a twentieth, " + code,
              Check.atLeast(
                  Check.at(ParityParts.THROUGHPUT, ParityParts.DEFERRED, code),
                  TIE,
                  Check.at(ParityParts.THROUGHPUT, ParityParts.IMMEDIATE, code))));
      figure.expects(
          Check.that(
              "and groups were without their parity for a time, " + code,
              Check.atLeast(Check.at(ParityParts.WITHOUT, ParityParts.DEFERRED, code), 0)));
    }
    return figure;
  }

  static Figure free() {
    return Figure.of(
            Paper.RDIO,
            "5b",
            "parity-free decoding by DataNodes that are dead and maps that are cached",
            RdioFigures.cited("5b", "docs/resilience.md, which cites the paper"))
        .shows(RdioParts.RESILIENCE, RdioParts.DEAD)
        .divides(
            "read throughput with all maps cached, in times of stock HDFS's",
            RdioParts.DEAD,
            WARM,
            STOCK)
        .expects(
            Check.that(
                "stock HDFS fails beyond its parity",
                Check.atMost(Check.at(RdioParts.DEAD, STOCK, BEYOND_PARITY), 0)))
        .expects(
            Check.that(
                "RDIO goes on, with all maps cached and with none",
                Check.all(
                    List.of(
                        Check.atLeast(Check.at(RdioParts.DEAD, WARM, BEYOND_PARITY), 1),
                        Check.atLeast(Check.at(RdioParts.DEAD, COLD, BEYOND_PARITY), 1)))))
        .expects(
            Check.that(
                "RDIO without decoding is faster than stock HDFS that decodes",
                Check.atLeast(
                    Check.at(RdioParts.DEAD, WARM, PARITY),
                    1,
                    Check.at(RdioParts.DEAD, STOCK, PARITY))))
        .expects(
            Check.that(
                "the more maps are cached, the faster: all against none, all DataNodes alive",
                Check.atLeast(
                    Check.at(RdioParts.DEAD, WARM, "0"), 1, Check.at(RdioParts.DEAD, COLD, "0"))))
        .differs(RdioFigures.MINIO)
        .differs(
            "Of a file whose map is not cached and whose DataNode is dead the device is asked,"
                + " where the paper decodes")
        .build();
  }
}
