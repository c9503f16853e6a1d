// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.LinkBytes.COMPUTE;
import static io.rdio.hdfs.testbed.LinkBytes.STORAGE;
import static io.rdio.hdfs.testbed.LinkBytes.TOTAL;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/**
 * What files that are kept in one way cost the links.
 *
 * @param zeroed bytes of zeros that crossed the storage fabric for the slots that were made anew
 *     behind a file of RDIO's
 */
record WriteRow(WriteKind kind, WrittenPair stock, WrittenPair rdio, long zeroed) {
  /** For each DataNode of a file: messages, the journal's commits, what is read back. */
  private static final long MESSAGES_MAX = 1L << 20;

  private static final double KIB = 1 << 10;

  /** Whether RDIO has each byte cross the links as often as it is stored, with its CRCs. */
  boolean isOnce() {
    double total = rdio.perByte(TOTAL);
    return total >= kind.bounds().stored() && total <= kind.bounds().allLinksMax();
  }

  /** Whether RDIO has CRCs on the compute network, and no data. */
  boolean isPastTheNetwork() {
    double compute = rdio.perByte(COMPUTE);
    return compute >= kind.bounds().computeMin() && compute <= kind.bounds().computeMax();
  }

  /** Whether stock HDFS was seen to have each byte cross both as often as it is stored. */
  boolean isStockTwice() {
    double least = kind.bounds().stockMin();
    return stock.perByte(STORAGE) >= least && stock.perByte(COMPUTE) >= least;
  }

  /**
   * Whether a file of RDIO's costs no more besides than messages and journals may; nor less than
   * nothing, as if zeros that are taken off had not been seen to cross.
   */
  boolean areMessagesFew() {
    return messages() >= 0 && messages() <= (double) MESSAGES_MAX * kind.units();
  }

  /** What was asked for, without a thought of CRCs: within reach with one replica alone. */
  boolean isAsAsked() {
    return rdio.perByte(TOTAL) <= kind.bounds().asked();
  }

  /** Bytes on all links for a file of RDIO's besides its own, without zeros for slots. */
  private double messages() {
    return rdio.perFile(TOTAL) - zeroed;
  }

  static String heading() {
    return String.format(
        "%-14s %-6s %9s %9s %9s %11s", "", "", "storage", "network", "all links", "a file, KiB");
  }

  /** One of the two ways, by its name. */
  String line(String way, WrittenPair pair) {
    return String.format(
        Locale.ROOT,
        "%-14s %-6s %9.4f %9.4f %9.4f %11.1f",
        kind.name(),
        way,
        pair.perByte(STORAGE),
        pair.perByte(COMPUTE),
        pair.perByte(TOTAL),
        pair.perFile(TOTAL) / KIB);
  }

  /** What each link carried of the larger one of them. */
  static String links(WrittenPair pair) {
    LinkBytes links = pair.larger().links();
    StringJoiner each = new StringJoiner(", ");
    links.storage().forEach((link, bytes) -> each.add(link + " " + (bytes >> 10)));
    links.received().forEach((link, bytes) -> each.add(link + " " + (bytes >> 10)));
    return String.format("%-14s of the larger one, KiB: %s", "", each);
  }

  /** What RDIO's are made of. */
  String explained() {
    WriteBounds bounds = kind.bounds();
    return String.format(
        Locale.ROOT,
        "%-14s of RDIO's: data %.4f, CRCs on two links %.4f, headers %.4f; of a file's own: zeros"
            + " for slots %.1f KiB, messages and journals %.1f KiB; %.4f as was asked for: %s",
        "",
        bounds.stored(),
        2 * bounds.crcs(),
        rdio.perByte(TOTAL) - bounds.explained(),
        zeroed / KIB,
        messages() / KIB,
        bounds.asked(),
        isAsAsked() ? "yes" : "no");
  }

  /** For the JSON. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", kind.name());
    fields.put("units", kind.units());
    fields.put("bounds", kind.bounds().fields());
    fields.put("stock", stock.fields());
    fields.put("rdio", rdio.fields());
    fields.put("zeroed_per_file", zeroed);
    fields.put("messages_per_file", Math.round(messages()));
    fields.put("as_asked", isAsAsked());
    return fields;
  }
}
