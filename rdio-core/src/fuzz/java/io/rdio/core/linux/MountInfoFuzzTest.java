// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Allocation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Other people's mounts, whose names may be any bytes, are no reason not to find ours. */
final class MountInfoFuzzTest {
  private static final String OURS = "27 1 254:0 / /data rw - ext4 /dev/vda rw,discard\n";

  private static Path procfs;

  @BeforeContainer
  static void makeProcfs() throws IOException {
    procfs = Files.createTempDirectory("rdio-procfs-");
    Files.createDirectory(procfs.resolve("self"));
  }

  @AfterContainer
  static void deleteProcfs() throws IOException {
    Files.deleteIfExists(procfs.resolve("self/mountinfo"));
    Files.delete(procfs.resolve("self"));
    Files.delete(procfs);
  }

  private static Optional<MountInfo> find(byte[]... lines) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] line : lines) {
      out.writeBytes(line);
    }
    Files.write(procfs.resolve("self/mountinfo"), out.toByteArray());
    return MountInfo.of(Path.of("/data/dfs"), procfs);
  }

  @Property
  void anyOtherLineIsLeftOut(@ForAll("lines") byte[] line) throws IOException {
    long allocated =
        Allocation.of(
            () -> {
              Optional<MountInfo> found = find(line, "\n".getBytes(UTF_8), OURS.getBytes(UTF_8));
              assertThat(found.map(MountInfo::source)).contains("/dev/vda");
            });
    assertThat(allocated).isLessThan(1 << 20);
  }

  @Provide
  Arbitrary<byte[]> lines() {
    Arbitrary<String> words =
        Arbitraries.of(
                "1",
                "/",
                "/mnt\\040x",
                "\\777",
                "\\0",
                "\\",
                " - ",
                " ",
                "\r",
                "\0",
                "\u00e4",
                "rw")
            .list()
            .ofMaxSize(14)
            .map(list -> String.join(" ", list));
    return Arbitraries.oneOf(
        words.map(text -> text.getBytes(UTF_8)),
        words.map(text -> text.getBytes(ISO_8859_1)),
        Arbitraries.bytes().array(byte[].class).ofMaxSize(120));
  }

  @Example
  void mountPointThatIsNoUtf8IsSomebodyElses() throws IOException {
    byte[] latin1 = "28 1 8:1 / /mnt/Gr\u00fc\u00dfe rw - vfat /dev/sdb rw\n".getBytes(ISO_8859_1);

    assertThat(find(latin1, OURS.getBytes(UTF_8)).orElseThrow().source()).isEqualTo("/dev/vda");
  }

  @Example
  void everyOctalEscapeIsUndone() throws IOException {
    byte[] line = "28 1 8:1 / /data/dfs rw - ext4 /dev/a\\043b\\134040 rw\n".getBytes(UTF_8);

    assertThat(find(OURS.getBytes(UTF_8), line).orElseThrow().source()).isEqualTo("/dev/a#b\\040");
  }
}
