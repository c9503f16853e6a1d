// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.device.InspectedVolume;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.Inode;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.Requirements;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.hadoop.util.JsonSerialization;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code rdio fs} on images: what is in them, and refusals with status 3 and no stack trace. */
final class FsCommandTest {
  @TempDir(factory = InMemory.class)
  static Path directory;

  private static final int BLOCK = 1024;
  private static final int JOURNAL_INODE = 8;
  private static final byte[] BYTES = new byte[300_000];
  private static String image = "";

  @BeforeAll
  static void makeImage() throws IOException {
    Requirements.requireTool("mke2fs");
    Requirements.requireTool("debugfs");
    new Random(3).nextBytes(BYTES);
    Path content = Files.createDirectories(directory.resolve("content/current"));
    Files.write(content.resolve("blk_1"), BYTES);
    Files.createSymbolicLink(content.resolve("link"), Path.of("blk_1"));
    Path file = directory.resolve("image");
    image = file.toString();
    Command.run(
        "mke2fs",
        "-q",
        "-F",
        "-t",
        "ext4",
        "-b",
        String.valueOf(BLOCK),
        "-d",
        content.getParent().toString(),
        image,
        "8M");
    Path script = directory.resolve("script");
    Files.writeString(script, "fallocate /current/blk_1 400 409\n");
    Command.run("debugfs", "-w", "-f", script.toString(), image);
  }

  private static Map<?, ?> json(String... args) throws IOException {
    CliRun run = CliRun.of(args);
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
    return new JsonSerialization<>(Map.class, false, false).fromJson(run.out());
  }

  @Test
  void namesInADirectory() throws IOException {
    Map<?, ?> answer = json("fs", "ls", image, "/current", "--json");
    assertThat((List<?>) answer.get("entries"))
        .extracting("name", "type")
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple("blk_1", "file"),
            org.assertj.core.groups.Tuple.tuple("link", "symlink"));
    assertThat(CliRun.of("fs", "ls", image, "/").out()).contains("directory", "current");
  }

  @Test
  void extentsInBytes() throws IOException {
    List<?> extents =
        (List<?>) json("fs", "extents", "--json", image, "current/blk_1").get("extents");
    Map<?, ?> first = (Map<?, ?>) extents.get(0);
    assertThat(first.get("logical")).isEqualTo(0);
    assertThat(first.keySet().stream().map(Object::toString))
        .containsExactly("logical", "physical", "length");
    Map<?, ?> last = (Map<?, ?>) extents.get(extents.size() - 1);
    assertThat(last.get("logical")).isEqualTo(400 * 1024);
    assertThat(last.get("length")).isEqualTo(10 * 1024);
    assertThat(last.get("unwritten")).isEqualTo(true);
    assertThat(CliRun.of("fs", "extents", image, "current/blk_1").out())
        .contains("10240 bytes of the file from 409600 on at ", "reserved and not written");
  }

  @Test
  void whatAnInodeSays() throws IOException {
    Map<?, ?> answer = json("fs", "stat", image, "/current/blk_1", "--json");
    assertThat(answer.get("type")).isEqualTo("file");
    assertThat(answer.get("size")).isEqualTo(BYTES.length);
    assertThat(CliRun.of("fs", "stat", image, "/current/link").out()).contains("symlink");
  }

  @Test
  void bytesOfAFile() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(bytes, true));
    try {
      assertThat(CliRun.of("fs", "cat", image, "/current/blk_1").status()).isZero();
    } finally {
      System.setOut(before);
    }
    assertThat(bytes.toByteArray()).isEqualTo(BYTES);
  }

  @Test
  void refusalsAreTypedAndHaveNoStackTrace() throws IOException {
    assertRefused("NOT_FOUND", "fs", "stat", image, "/current/blk_2");
    assertRefused("UNSUPPORTED", "fs", "ls", image, "/current/link");
    assertRefused("UNSUPPORTED", "fs", "cat", image, "/current");
    assertRefused("DEVICE_NOT_FOUND", "fs", "stat", image + ".not", "/");
    Path noise = Files.write(directory.resolve("noise"), BYTES);
    assertRefused("DAMAGED", "fs", "stat", noise.toString(), "/");
    Path xfs = Files.write(directory.resolve("xfs"), xfs());
    assertRefused("XFS: the device has xfs", "fs", "ls", xfs.toString(), "/");
    Path empty = Files.createFile(directory.resolve("none"));
    assertRefused("DAMAGED", "fs", "extents", empty.toString(), "/");
    assertRefused("no directory", "fs", "stat", image, "/current/blk_1/");
  }

  private static byte[] xfs() {
    byte[] bytes = new byte[1 << 16];
    System.arraycopy("XFSB".getBytes(StandardCharsets.US_ASCII), 0, bytes, 0, 4);
    return bytes;
  }

  /** Nobody may take half an answer, or none, for the whole of it. */
  @Test
  void anAnswerThatCannotBeWrittenIsNoAnswer() throws IOException {
    for (String command : List.of("stat", "ls", "extents")) {
      StringWriter err = new StringWriter();
      try (PrintWriter full = new PrintWriter(new FileOutputStream("/dev/full"), false, UTF_8)) {
        int status =
            Rdio.commandLine()
                .setOut(full)
                .setErr(new PrintWriter(err, true))
                .execute("fs", command, image, "/");
        assertThat(status).as(command).isEqualTo(1);
      }
      assertThat(err.toString()).contains("takes no more").doesNotContain("    at ");
    }
  }

  /** A question whose answer has no room in memory. */
  @CommandLine.Command(name = "endless")
  private static final class Endless extends FsCommand.Question {
    @Override
    void answer(InspectedVolume volume, String path) {
      throw new OutOfMemoryError("Java heap space");
    }
  }

  @Test
  void anAnswerThatMemoryHasNoRoomForIsRefused() {
    StringWriter err = new StringWriter();
    int status =
        new CommandLine(new Endless()).setErr(new PrintWriter(err, true)).execute(image, "/");
    assertThat(status).isEqualTo(3);
    assertThat(err.toString())
        .contains("rdio fs: / of ", "UNSUPPORTED", "HADOOP_HEAPSIZE_MAX")
        .doesNotContain("    at ", "Error");
  }

  @Test
  void whatHasNoBytesHasNoExtents() throws IOException {
    String odd = image("empty", "has_journal", "write /dev/null nothing", "mkdir below");
    assertThat((List<?>) json("fs", "extents", odd, "/nothing", "--json").get("extents")).isEmpty();
    assertThat((List<?>) json("fs", "ls", odd, "//below/.", "--json").get("entries")).isEmpty();
    assertThat(CliRun.of("fs", "cat", odd, "/nothing").status()).isZero();
  }

  /** Those that are not read without their DataNode, and so have nobody look at them, are shown. */
  @Test
  void volumesThatThePlaneRefusesAreShown() throws IOException {
    for (String features : List.of("^has_journal", "^metadata_csum", "fast_commit")) {
      String refused = image("refused", features, "write /dev/null file");
      assertThat(json("fs", "stat", refused, "/file", "--json").get("size"))
          .as(features)
          .isEqualTo(0);
    }
    String noted = image("noted", "has_journal", "mkdir below", "ssv error_count 1");
    assertThat(CliRun.of("fs", "ls", noted, "/").out()).contains("below");
  }

  /** Where blocks begin that lead on to others: to all of them, to the root's and to the log's. */
  private static List<Integer> placesThatLeadOn(String image) throws Exception {
    Ext4Volume volume = Ext4Volume.open(NamedDevice.open(Path.of(image)));
    Inode root = volume.root();
    Inode log = volume.inode(JOURNAL_INODE);
    return LongStream.of(
            volume.superblockBlock(),
            volume.superblockBlock() + 1,
            root.block(),
            volume.resolve("/large").block(),
            log.block(),
            volume.extents(root).get(0).physical(),
            volume.extents(log).get(0).physical())
        .mapToObj(block -> (int) (block * BLOCK))
        .toList();
  }

  /**
   * Noise over what leads on to other blocks: with status 0 or 3, whatever is met. Volumes with
   * checksums and a log are looked at as the plane does, which takes a second where the log has no
   * proper end, so there are fewer of them; the others are read once.
   */
  @ParameterizedTest
  @CsvSource({"^metadata_csum, 60", "'has_journal,metadata_csum', 20"})
  void damageIsAnsweredOrRefused(String features, int rounds) throws Exception {
    String whole = image("whole", features, "write " + image + " large", "mkdir below");
    List<Integer> places = placesThatLeadOn(whole);
    byte[] bytes = Files.readAllBytes(Path.of(whole));
    Random random = new Random(19);
    int refused = 0;
    for (int i = 0; i < rounds; i++) {
      byte[] damaged = bytes.clone();
      byte[] noise = new byte[1 << random.nextInt(11)];
      random.nextBytes(noise);
      int at = places.get(random.nextInt(places.size())) + random.nextInt(BLOCK);
      System.arraycopy(noise, 0, damaged, at, noise.length);
      Path file = Files.write(directory.resolve("damaged"), damaged);
      for (String command : List.of("stat", "ls", "extents")) {
        CliRun run = CliRun.of("fs", command, file.toString(), i % 2 == 0 ? "/" : "/large");
        assertThat(run.status()).as(run.err()).isIn(0, 3);
        assertThat(run.err()).doesNotContain("    at ", "Exception");
        assertThat(run.err().isEmpty()).isEqualTo(run.status() == 0);
        // Names in a file are refused without noise as well.
        refused += command.equals("stat") && run.status() == 3 ? 1 : 0;
      }
    }
    assertThat(refused).as("noise that was met").isPositive();
  }

  @Test
  void whatIsNoDeviceIsRefusedBeforeItIsOpened() throws IOException {
    Path pipe = directory.resolve("pipe");
    Command.run("mkfifo", pipe.toString());
    for (Path each : List.of(pipe, directory, Path.of("/dev/zero"))) {
      assertRefused("neither a block device nor a file", "fs", "stat", each.toString(), "/");
    }
  }

  @Test
  void anyNameIsOneLineAndValidJson() throws IOException {
    String odd =
        image(
            "odd", "^metadata_csum", "ln <2> \"a\u001b[2Jb\u202e\u007f\u0085\"", "ln <2> c\u00ff");
    // The second one is not UTF-8.
    byte[] bytes = Files.readAllBytes(Path.of(odd));
    int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("c\u00c3\u00bf");
    bytes[at + 1] = (byte) 0xFE;
    bytes[at + 2] = '"';
    Files.write(Path.of(odd), bytes);

    CliRun run = CliRun.of("fs", "ls", odd, "/", "--json");
    assertThat(run.out()).matches("[\\n\\x20-\\x7e]*").contains("\\u001B[2Jb\\u202e\\u007f\\u0085");
    Map<?, ?> answer = new JsonSerialization<>(Map.class, false, false).fromJson(run.out());
    assertThat((List<?>) answer.get("entries"))
        .extracting("name")
        .contains("a\u001b[2Jb\u202e\u007f\u0085", "c\ufffd\"");
    assertThat(CliRun.of("fs", "ls", odd, "/").out()).contains("  a?[2Jb???\n");
  }

  @Test
  void aNameWithoutAnInodeIsListed() throws IOException {
    String dangling = image("dangling", "^filetype", "ln <200> lost");

    assertThat(CliRun.of("fs", "ls", dangling, "/").out()).contains("unknown    lost");
    assertRefused("NOT_FOUND: inode 200 is free", "fs", "stat", dangling, "/lost");
  }

  /** One that was changed by requests of debugfs. */
  private static String image(String name, String features, String... requests) throws IOException {
    String file = directory.resolve(name).toString();
    String block = String.valueOf(BLOCK);
    Command.run("mke2fs", "-q", "-F", "-t", "ext4", "-b", block, "-O", features, file, "8M");
    Path script = directory.resolve(name + "-script");
    Files.write(script, List.of(requests));
    Command.run("debugfs", "-w", "-f", script.toString(), file);
    return file;
  }

  private static void assertRefused(String kind, String... args) {
    CliRun run = CliRun.of(args);
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("rdio fs: ", kind).doesNotContain("    at ", "Exception");
  }
}
