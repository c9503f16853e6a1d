// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** What the traffic of writes is judged by. */
class WriteRowTest {
  private static final long MB = 1L << 20;
  private static final long SMALLER = 12 * MB;
  private static final long LARGER = 48 * MB;
  private static final WriteKind THREE = WriteKind.of(3).get(1);

  /** What three replicas by RDIO come to: data, CRCs on two links, and some for headers. */
  private static final double STORAGE = 3 + 27.0 / 1024;

  private static final double COMPUTE = 25.0 / 1024;

  private static WriteMeter.Written written(long bytes, double storage, double compute, long file) {
    LinkBytes links =
        new LinkBytes(
            Map.of("client_to_storage", Math.round(storage * bytes) + file),
            Map.of("network_to_datanode", Math.round(compute * bytes)),
            new TreeMap<>());
    return new WriteMeter.Written(new FileSet("/file", 1, bytes), "", links, bytes);
  }

  private static WrittenPair pair(double storage, double compute, long file) {
    return new WrittenPair(
        written(SMALLER, storage, compute, file), written(LARGER, storage, compute, file));
  }

  private static WriteRow row(WrittenPair rdio) {
    return new WriteRow(THREE, pair(3.03, 3.03, MB), rdio, 3 * LARGER);
  }

  private static WriteRow usual() {
    return row(pair(STORAGE, COMPUTE, 3 * LARGER + MB));
  }

  @Test
  void oneCrossingForEachStoredByteIsAsItShouldBe() {
    WriteRow row = usual();

    assertThat(row.isOnce()).isTrue();
    assertThat(row.isPastTheNetwork()).isTrue();
    assertThat(row.isStockTwice()).isTrue();
    assertThat(row.areMessagesFew()).isTrue();
    assertThat(row.isAsAsked()).as("with three replicas").isFalse();
  }

  @Test
  void aSecondCrossingIsFound() {
    assertThat(row(pair(STORAGE + 0.03, COMPUTE, 0)).isOnce()).isFalse();
    assertThat(row(pair(3.0, 0.06, 0)).isPastTheNetwork()).isFalse();
  }

  @Test
  void linksThatWereNotCountedAreFound() {
    assertThat(row(pair(2.02, COMPUTE, 0)).isOnce()).isFalse();
    assertThat(row(pair(STORAGE, 0.0, 0)).isPastTheNetwork()).isFalse();
    WrittenPair rdio = pair(STORAGE, COMPUTE, 0);
    assertThat(new WriteRow(THREE, pair(3.03, 2.02, MB), rdio, 0).isStockTwice()).isFalse();
    assertThat(new WriteRow(THREE, pair(2.02, 3.03, MB), rdio, 0).isStockTwice()).isFalse();
  }

  @Test
  void aFilesOwnPartIsWithoutTheZerosOfSlots() {
    assertThat(row(pair(STORAGE, COMPUTE, 3 * LARGER + 4 * MB)).areMessagesFew()).isFalse();
    assertThat(row(pair(STORAGE, COMPUTE, MB)).areMessagesFew()).as("no zeros").isFalse();
    assertThat(usual().fields()).containsEntry("messages_per_file", MB);
    assertThat(usual().fields()).containsEntry("zeroed_per_file", 3 * LARGER);
  }

  @Test
  void jsonHasEachLinkForAFileAndTheSumsForAByte() {
    WrittenPair stock = usual().stock();

    assertThat(stock.fields()).containsOnlyKeys("per_byte", "per_file", "smaller", "larger");
    assertThat(stock.fields().get("per_byte"))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsOnlyKeys("storage", "compute", "total");
    assertThat(stock.fields().get("larger"))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("bytes", LARGER)
        .containsEntry("links", stock.larger().links().figures());
    assertThat(stock.both()).containsExactly(stock.smaller(), stock.larger());
  }

  @Test
  void linesFitTheHeading() {
    WriteRow row = usual();

    assertThat(row.line("RDIO", row.rdio())).hasSameSizeAs(WriteRow.heading());
    assertThat(List.of(row.line("RDIO", row.rdio()).split(" +", -1)))
        .startsWith("replication_3", "RDIO", "3.0264", "0.0244", "3.0508");
    assertThat(WriteRow.links(pair(2, 0.5, 0)))
        .endsWith("KiB: client_to_storage 98304, network_to_datanode 24576");
    assertThat(row.explained())
        .contains("data 3.0000", "CRCs on two links 0.0469")
        .contains("messages and journals 1024.0 KiB", "3.0200 as was asked for: no");
  }
}
