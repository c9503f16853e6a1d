// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** TPC-H's tables and which of them each of its 22 queries scans. */
final class Tables {
  /** A table: its rows at scale factor 1 and the bytes of a row, as clause 4.2.5 estimates them. */
  enum Table {
    LINEITEM(6_001_215, 112),
    ORDERS(1_500_000, 104),
    PARTSUPP(800_000, 144),
    CUSTOMER(150_000, 179),
    PART(200_000, 155),
    SUPPLIER(10_000, 159),
    NATION(25, 128),
    REGION(5, 124);

    private final long bytes;

    Table(long rows, long rowBytes) {
      bytes = rows * rowBytes;
    }
  }

  /** The tables in a query's FROM clauses, in the order of the query's text, subqueries too. */
  private static final List<String> QUERIES =
      List.of(
          "L",
          "P S PS N R PS S N R",
          "C O L",
          "O L",
          "C O L S N R", //
          "L",
          "S L O C N",
          "P S L O C N R",
          "P S L PS O N",
          "C O L N", //
          "PS S N PS S N",
          "O L",
          "C O",
          "L P",
          "L S", //
          "PS P S",
          "L P L",
          "C O L L",
          "L P",
          "S N PS P L", //
          "S L O N L L",
          "C C O");

  private static final Map<String, Table> BY_LETTERS =
      Map.of(
          "L", Table.LINEITEM,
          "O", Table.ORDERS,
          "PS", Table.PARTSUPP,
          "C", Table.CUSTOMER,
          "P", Table.PART,
          "S", Table.SUPPLIER,
          "N", Table.NATION,
          "R", Table.REGION);

  private final Map<Table, Extent> extents = new EnumMap<>(Table.class);

  /** Where a table lies. */
  record Extent(int first, int blocks) {}

  /**
   * Lays the tables out, one behind the other.
   *
   * @param blocks of all tables together; one that would be smaller than a block has one
   */
  Tables(int blocks) {
    long bytes = 0;
    for (Table table : Table.values()) {
      bytes += table.bytes;
    }
    int end = blocks;
    // The small ones from the end, so that what rounding leaves goes to the largest.
    for (int i = Table.values().length - 1; i > 0; i--) {
      Table table = Table.values()[i];
      int size = (int) Math.max(1, blocks * table.bytes / bytes);
      end -= size;
      extents.put(table, new Extent(end, size));
    }
    if (end < 1) {
      throw new IllegalArgumentException("TPC-H's tables do not fit into " + blocks + " blocks");
    }
    extents.put(Table.LINEITEM, new Extent(0, end));
  }

  /** How many queries there are. */
  static int queries() {
    return QUERIES.size();
  }

  /**
   * What a query scans, in order.
   *
   * @param query from 0
   */
  List<Extent> scans(int query) {
    return List.of(QUERIES.get(query).split(" ", -1)).stream()
        .map(letters -> extents.get(BY_LETTERS.get(letters)))
        .toList();
  }
}
