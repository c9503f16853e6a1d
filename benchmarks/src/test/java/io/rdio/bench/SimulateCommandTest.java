// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.simulator.Policies;
import io.rdio.s3fifo.policy.Traces;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command, from its arguments to what it prints and draws. */
class SimulateCommandTest {
  private static final String EXPECTED =
      """
      trace,policy,cache_objects,miss_ratio,requests
      t,S3-FIFO,137,0.588513,95607
      t,LRU,137,0.603021,95607
      t,S3-FIFO,1375,0.277417,95607
      t,LRU,1375,0.315176,95607
      """;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final long[] ids = Traces.ids("c2k-web12").orElseThrow();
  @TempDir private Path folder;

  private int simulate(Object... args) {
    String[] strings = Arrays.stream(args).map(Object::toString).toArray(String[]::new);
    return new CommandLine(new SimulateCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(strings);
  }

  private void assertReads(Path trace, Object... more) {
    Object[] args =
        java.util.stream.Stream.concat(
                java.util.stream.Stream.of(
                    "--trace", trace, "--policy", "s3fifo,LRU", "--size", "1%,1375", "--csv"),
                Arrays.stream(more))
            .toArray();
    assertThat(simulate(args)).as(err.toString()).isZero();
    assertThat(out.toString().replace("\r", "")).isEqualTo(EXPECTED);
  }

  @Test
  void readsGzippedIds() throws IOException {
    Path file = folder.resolve("t.ids.gz");
    try (OutputStream gzip = new GZIPOutputStream(Files.newOutputStream(file))) {
      gzip.write(records(Long.BYTES, 0));
    }
    assertReads(file);
    assertThat(err.toString()).contains("[4/4] LRU, 1,375 objects");
  }

  @Test
  void readsText() throws IOException {
    String text = Arrays.stream(ids).mapToObj(Long::toString).collect(Collectors.joining("\n"));
    assertReads(Files.writeString(folder.resolve("t.txt"), "# a comment\n" + text));
  }

  @Test
  void readsNamesAsText() throws IOException {
    String text = Arrays.stream(ids).mapToObj(id -> "/p/" + id).collect(Collectors.joining("\n"));
    assertReads(Files.writeString(folder.resolve("t.txt"), text));
  }

  @Test
  void readsCsvByItsHeadingOrByColumn() throws IOException {
    String rows =
        Arrays.stream(ids).mapToObj(id -> "1,2a,512," + id).collect(Collectors.joining("\n"));
    assertReads(Files.writeString(folder.resolve("t.csv"), "version,op,size,lbn\n" + rows));
    out.getBuffer().setLength(0);
    assertReads(Files.writeString(folder.resolve("t.csv"), rows), "--id-column", 4);
  }

  @Test
  void readsOracleGeneral() throws IOException {
    Path file = folder.resolve("t.oracleGeneral.bin");
    Files.write(file, records(24, 4));
    assertThat(simulate("--trace", file, "--policy", "LRU", "--size", "1375", "--csv")).isZero();
    assertThat(out.toString()).contains("t.oracleGeneral,LRU,1375,0.315176,95607");
  }

  @Test
  void saysHowManyMoreMissesThereAreThanByAnotherPolicy() throws IOException {
    Path file = Files.write(folder.resolve("t.ids"), records(Long.BYTES, 0));
    assertThat(simulateAgainst("s3fifo", "s3fifo,lru", file)).isZero();
    assertThat(out.toString().replace("\r", ""))
        .isEqualTo(
            """
            trace,policy,cache_objects,miss_ratio,requests,to_S3-FIFO
            t,S3-FIFO,1375,0.277417,95607,+0.00%
            t,LRU,1375,0.315176,95607,+13.61%
            """);
    out.getBuffer().setLength(0);
    assertThat(simulateAgainst("lru", "s3fifo", file)).isZero();
    assertThat(out.toString()).contains("to_LRU").endsWith(",-11.98%" + System.lineSeparator());
  }

  private int simulateAgainst(String other, String policies, Path file) {
    return simulate(
        "--trace", file, "--policy", policies, "--size", "1375", "--against", other, "--csv");
  }

  @Test
  void printsATableOfAllPoliciesAndDraws() throws IOException {
    Path file = Files.write(folder.resolve("t.ids"), records(Long.BYTES, 0));
    for (String format : new String[] {"png", "svg"}) {
      Path plot = folder.resolve("curves." + format);
      assertThat(simulate("--trace", file, "--size", "0.1%,1%", "--plot", plot))
          .as(err.toString())
          .isZero();
      byte[] image = Files.readAllBytes(plot);
      assertThat(new String(image, 0, 100, java.nio.charset.StandardCharsets.ISO_8859_1))
          .contains(format.equals("png") ? "PNG" : "<?xml");
      assertThat(image.length).isGreaterThan(5_000);
    }
    assertThat(out.toString()).contains(Policies.names());
  }

  @Test
  void simulatesTwoLevels() throws IOException {
    Path plot = folder.resolve("levels.svg");
    assertThat(
            simulate(
                "--two-level",
                "--policy",
                "vanilla,INCL",
                "--size",
                "25%",
                "--csv",
                "--plot",
                plot))
        .as(err.toString())
        .isZero();
    List<String> rows = out.toString().lines().toList();
    assertThat(rows)
        .hasSize(7)
        .first()
        .isEqualTo(
            "workload,policy,storage_cache_fraction,level2_hit_ratio,network_bytes,prefetch_waste");
    assertThat(rows.get(2)).startsWith("tpch-scans,Incl,0.25,0.0");
    assertThat(rows.get(5)).startsWith("ycsb-c-zipf0.99,Vanilla,0.25,0.0000,");
    assertThat(Files.readString(plot)).contains("<svg");
  }

  @Test
  void saysWhatIsWrongOfTwoLevels() {
    assertRefuses("no policy \"LRU\"", "--two-level", "--policy", "LRU");
    assertRefuses("size \"100\"", "--two-level", "--size", "100");
    assertRefuses("size \"0%\"", "--two-level", "--size", "0%");
    assertRefuses("size \"x%\"", "--two-level", "--size", "x%");
    assertRefuses("--clients 0: from 1 to 16", "--two-level", "--clients", "0");
    assertRefuses("--clients 17: from 1 to 16", "--two-level", "--clients", "17");
    assertRefuses(".png or .svg", "--two-level", "--plot", "curves.gif");
    assertRefuses("expected only one match", "--two-level", "--trace", "t.ids");
    assertRefuses("leave it out of --two-level", "--two-level", "--against", "Vanilla");
    assertRefuses("--two-level", "--csv");
  }

  @Test
  void saysWhatIsWrong() throws IOException {
    Path file = Files.write(folder.resolve("t.ids"), records(Long.BYTES, 0));
    Path cut = Files.write(folder.resolve("cut.ids"), new byte[12]);
    assertRefuses("no policy \"MRU\"", "--trace", file, "--policy", "MRU");
    assertRefuses("no policy \"MRU\"", "--trace", file, "--against", "MRU");
    assertRefuses("cache size \"0\"", "--trace", file, "--size", "0");
    assertRefuses("cache size \"x%\"", "--trace", file, "--size", "x%");
    assertRefuses("cannot read the trace", "--trace", folder.resolve("none.ids"));
    assertRefuses("whole record of 8 bytes", "--trace", cut);
    assertRefuses("unzstd", "--trace", Files.createFile(folder.resolve("t.zst")));
    assertRefuses("no requests", "--trace", Files.createFile(folder.resolve("empty.txt")));
    assertRefuses(".png or .svg", "--trace", file, "--plot", "curves.gif");
    assertRefuses(
        "no column 7",
        "--trace",
        Files.writeString(folder.resolve("a.csv"), "1,2\n"),
        "--id-column",
        7);
  }

  private void assertRefuses(String message, Object... args) {
    err.getBuffer().setLength(0);
    assertThat(simulate(args)).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains(message);
  }

  private byte[] records(int length, int offset) {
    ByteBuffer raw = ByteBuffer.allocate(ids.length * length).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < ids.length; i++) {
      raw.putLong(i * length + offset, ids[i]);
    }
    return raw.array();
  }
}
