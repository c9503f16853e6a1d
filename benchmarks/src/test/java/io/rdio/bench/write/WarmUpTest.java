// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.bench.hdfs.Way;
import io.rdio.bench.write.WarmUpRun.Stored;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** With a clock that only files move on. */
class WarmUpTest {
  private static final long SECOND = 1_000_000_000;
  private static final int FILES = 16;

  private final List<String> passes = new ArrayList<>();
  private final List<String> said = new ArrayList<>();
  private long nanos = SECOND;

  /** Each file takes a second. */
  private Map<Way, Stored> run(WarmUp warmUp, List<Way> ways) throws IOException {
    return new WarmUpRun(warmUp, FILES, this::store, () -> nanos, said::add).run(ways);
  }

  private long store(Way way, int files, double seconds) {
    passes.add(String.format("%s %d %.0f", way, files, seconds));
    nanos += files * SECOND;
    return files;
  }

  @Test
  void stockHdfsStoresAsManyAsRdio() throws IOException {
    Map<Way, Stored> stored = run(new WarmUp(40, 60), List.of(Way.STOCK, Way.AGENT));
    assertThat(passes)
        .containsExactly(
            "AGENT 16 60", "AGENT 16 44", "AGENT 8 28", "STOCK 16 60", "STOCK 16 44", "STOCK 8 28");
    assertThat(stored)
        .containsOnly(
            Map.entry(Way.AGENT, new Stored(40, 40, true)),
            Map.entry(Way.STOCK, new Stored(40, 40, true)));
    assertThat(said).hasSize(2).noneMatch(line -> line.contains("is over"));
  }

  @Test
  void timeEndsItAndIsSaidSo() throws IOException {
    Map<Way, Stored> stored = run(new WarmUp(2000, 20), List.of(Way.STOCK, Way.AGENT));
    assertThat(stored.get(Way.AGENT)).isEqualTo(new Stored(32, 32, false));
    assertThat(stored.get(Way.STOCK)).as("as many as RDIO").isEqualTo(new Stored(32, 32, true));
    assertThat(said.get(1))
        .isEqualTo(
            "--warm-up-max 20.0 is over: each DataNode has stored 32 of 2000 blocks by rdio, agent;"
                + " it goes on with these; fix: a larger --warm-up-max, or a smaller --warm-up");
    assertThat(new Stored(32, 32, false).by(Way.AGENT))
        .isEqualTo(
            "32 by rdio, agent in 32 s, which were fewer than wanted when --warm-up-max was over");
  }

  @Test
  void waysByRdioShareTheBlocks() throws IOException {
    List<Way> ways = List.of(Way.STOCK, Way.IMMEDIATE, Way.DEFERRED);
    Map<Way, Stored> stored = run(new WarmUp(31, 60), ways);
    assertThat(stored.get(Way.IMMEDIATE)).isEqualTo(new Stored(16, 16, true));
    assertThat(stored.get(Way.DEFERRED)).isEqualTo(new Stored(15, 15, true));
    assertThat(stored.get(Way.STOCK)).isEqualTo(new Stored(31, 31, true));
  }

  @Test
  void whatOneWayHadNoTimeForTheNextOneStores() throws IOException {
    List<Way> ways = List.of(Way.STOCK, Way.IMMEDIATE, Way.DEFERRED);
    Map<Way, Stored> stored = run(new WarmUp(60, 1), ways);
    assertThat(stored.get(Way.IMMEDIATE)).isEqualTo(new Stored(16, 16, false));
    assertThat(passes.get(1)).isEqualTo("DEFERRED 16 1");
    assertThat(said).anyMatch(line -> line.contains("stored 16 of 44 blocks by rdio, deferred"));
  }

  @Test
  void onlyWhatWentByTheWayCounts() throws IOException {
    List<Integer> asked = new ArrayList<>();
    WarmUpRun half =
        new WarmUpRun(
            new WarmUp(8, 60),
            FILES,
            (way, files, seconds) -> {
              asked.add(files);
              return (files + 1L) / 2;
            },
            () -> nanos,
            said::add);
    assertThat(half.run(List.of(Way.STOCK, Way.AGENT)).get(Way.AGENT))
        .isEqualTo(new Stored(8, 0, true));
    assertThat(asked.subList(0, 4)).containsExactly(8, 4, 2, 1);
  }

  @Test
  void nothingIsStoredIfNothingIsWanted() throws IOException {
    assertThat(run(new WarmUp(0, 20), List.of(Way.STOCK, Way.AGENT))).isEmpty();
    assertThat(passes).isEmpty();
    assertThat(said).isEmpty();
  }

  @Test
  void fewerThanNoneAndNoTimeAreRefused() {
    assertThatThrownBy(() -> new WarmUp(-1, 20))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("--warm-up -1: must be 0 or more");
    assertThatThrownBy(() -> new WarmUp(1, 0)).hasMessageContaining("--warm-up-max 0.0");
  }
}
