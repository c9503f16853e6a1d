// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.hdfs.client.RdioFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that all macro benchmarks have: the cluster's, and where the figures go. */
public final class ClusterOptions {
  /** Of which the oldest part goes first. More may not fit the heap of 'simulate'. */
  private static final String RECORDING_MAX = "256m";

  @Option(
      names = "--fs",
      paramLabel = "ext4|xfs",
      description = "File system of the DataNode's volume. Default: ${DEFAULT-VALUE}.")
  private String fileSystem = "ext4";

  @Option(
      names = "--backing",
      paramLabel = "tmpfs|disk",
      description = "What holds the loop device. Default: ${DEFAULT-VALUE}.")
  private String backing = "tmpfs";

  @Option(
      names = "--page-cache",
      paramLabel = "cold|warm",
      description =
          "Drop the block files from the page cache before each pass, or leave them there."
              + " Default: ${DEFAULT-VALUE}.")
  private String pageCache = "cold";

  @Option(
      names = "--buffer",
      paramLabel = "heap|direct|aligned",
      description =
          "What HDFS's clients read to: arrays, direct buffers, or direct buffers at multiples of"
              + " 4096. Default: ${DEFAULT-VALUE}.")
  private String buffer = "heap";

  @Option(
      names = "--file-system",
      paramLabel = "stock|rdio",
      description =
          "Class of RDIO's clients: HDFS's own, or RdioFileSystem (fs.hdfs.impl). Default:"
              + " ${DEFAULT-VALUE}.")
  private String clientClass = "stock";

  @Option(
      names = "--map-trace",
      paramLabel = "FOLDER",
      description =
          "Have clients of RDIO that open devices record here which blocks' maps their readers ask"
              + " for, each in maps-WAY.jfr for 'simulate --trace'. Default: no.")
  private @Nullable Path mapTrace;

  @Option(names = "--json", paramLabel = "FILE", description = "Also write all figures here.")
  private @Nullable Path json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also write a page with the figures and plots here.")
  private @Nullable Path html;

  /**
   * Refuses what cannot be.
   *
   * @throws IllegalArgumentException naming option, value and what it may be
   */
  public void check() {
    require("--fs", fileSystem, List.of("ext4", "xfs"));
    require("--backing", backing, List.of("tmpfs", "disk"));
    require("--page-cache", pageCache, List.of("cold", "warm"));
    require("--buffer", buffer, List.of("heap", "direct", "aligned"));
    require("--file-system", clientClass, List.of("stock", "rdio"));
    requireFolder("--json", json);
    requireFolder("--html", html);
    if (mapTrace != null && (!Files.isDirectory(mapTrace) || mapTrace.toString().contains(","))) {
      throw new IllegalArgumentException(
          "--map-trace " + mapTrace + ": fix: name a folder that exists, without commas");
    }
  }

  private static void require(String option, String value, List<String> values) {
    if (!values.contains(value)) {
      throw new IllegalArgumentException(
          option + " " + value + ": take " + String.join(" or ", values));
    }
  }

  /** After minutes of measuring it would be too late. */
  private static void requireFolder(String option, @Nullable Path file) {
    if (file == null) {
      return;
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new IllegalArgumentException(
          option + " " + file + ": fix: name a file in a folder that exists");
    }
  }

  /** {@code ext4} or {@code xfs}. */
  public String fileSystem() {
    return fileSystem;
  }

  /** Whether memory holds the loop device, and not the disk. */
  public boolean onTmpfs() {
    return backing.equals("tmpfs");
  }

  /** Whether the block files are to be out of the page cache before each pass. */
  public boolean cold() {
    return pageCache.equals("cold");
  }

  /** What HDFS's clients read to: {@code heap}, {@code direct} or {@code aligned}. */
  public String buffer() {
    return buffer;
  }

  /** Keys of RDIO's clients. */
  Map<String, String> rdioKeys() {
    return clientClass.equals("stock")
        ? Map.of()
        : Map.of("fs.hdfs.impl", RdioFileSystem.class.getName());
  }

  /** Whether clients record requests for maps. */
  boolean recordsMaps() {
    return mapTrace != null;
  }

  /**
   * Options of a client's JVM with which it records them, and keeps that to itself: its standard
   * output is for answers. None if it does not record.
   *
   * @param client names the file
   */
  List<String> recordingOptions(String client) {
    return mapTrace == null
        ? List.of()
        : List.of(
            "-Xlog:jfr+startup=error",
            "-XX:StartFlightRecording:settings=none,+io.rdio.FileMapRequest#enabled=true,maxsize="
                + RECORDING_MAX
                + ",filename="
                + mapTrace.toAbsolutePath().resolve("maps-" + client + ".jfr"));
  }

  /** Writes the files that were asked for. */
  void write(Report<?> report, String title) throws IOException {
    if (json != null) {
      Files.writeString(json, report.json());
    }
    if (html != null) {
      Files.writeString(html, report.html(title));
    }
  }

  /** In words. */
  public String describe() {
    return String.format(
        "%s on a loop device %s, block files %s, HDFS's clients read to %s%s",
        fileSystem,
        onTmpfs() ? "over tmpfs" : "on a file of the disk (direct I/O)",
        cold()
            ? "dropped from the page cache before each pass"
            : "in the page cache from the comparison on",
        switch (buffer) {
          case "direct" -> "direct buffers";
          case "aligned" -> "direct buffers at multiples of 4096";
          default -> "arrays";
        },
        clientClass.equals("stock") ? "" : ", RDIO's by RdioFileSystem");
  }

  /** For JSON. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("fs", fileSystem);
    fields.put("backing", backing);
    fields.put("page_cache", pageCache);
    fields.put("buffer", buffer);
    fields.put("client_class", clientClass);
    return fields;
  }
}
