// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Requirements;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The link that a command runs on; how slow it is the benchmark shows. */
@Tag("loop")
class SlowLinkIT {
  private static final long RATE = 100L << 20;

  @TempDir Path folder;

  @BeforeEach
  void needsRoot() throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.require(tells("true") == 0, "unshare, ip and tc with tbf, as root");
  }

  private static int tells(String command) throws Exception {
    return SlowLink.run(RATE, List.of("sh", "-c", command));
  }

  @Test
  void theCommandHasALinkOfThatRateOfItsOwn() throws Exception {
    Path said = folder.resolve("said");
    assertThat(tells("tc qdisc show dev lo > " + said)).isZero();
    assertThat(said).content().contains("tbf").contains("rate " + 8 * RATE / 1000 / 1000);
    Process outside = new ProcessBuilder("tc", "qdisc", "show", "dev", "lo").start();
    assertThat(new String(outside.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .doesNotContain("tbf");
  }

  @Test
  void itKnowsThatItIsThereAndItsStatusIsHandedOn() throws Exception {
    assertThat(SlowLink.isHere()).isFalse();
    Path said = folder.resolve("said");
    assertThat(tells("echo $RDIO_BENCH_SLOW_LINK > " + said + "; exit 7")).isEqualTo(7);
    assertThat(Files.readString(said)).isEqualTo("1\n");
  }
}
