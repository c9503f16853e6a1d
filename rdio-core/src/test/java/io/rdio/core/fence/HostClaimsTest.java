// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.fence.ReservationException.Obstacle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which process registers a host with a device. */
final class HostClaimsTest {
  private static final String HOST = "0123456789abcdef";
  private static final String DEVICE = "nvme.1d0f-4c/55 6e-00000001";

  @TempDir Path directory;
  private Path folder;
  private HostClaims claims;
  private HostClaims others;

  @BeforeEach
  void start() {
    folder = directory.resolve("run/writers");
    claims = new HostClaims(folder);
    others = new HostClaims(folder);
  }

  @AfterEach
  void end() {
    claims.close();
    others.close();
  }

  private static void isRefused(HostClaims claims, Obstacle obstacle, String... why) {
    assertThatThrownBy(() -> claims.take(HOST, DEVICE))
        .isInstanceOfSatisfying(
            ReservationException.class, e -> assertThat(e.obstacle()).isEqualTo(obstacle))
        .hasMessageContainingAll(why);
  }

  private Path file() throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> all = files.toList();
      assertThat(all).hasSize(1);
      return all.get(0);
    }
  }

  @Test
  void oneHasItForEachHostAndDevice() throws Exception {
    assertThat(claims.take(HOST, DEVICE)).isTrue();
    assertThat(claims.take(HOST, DEVICE)).as("it has it already").isFalse();

    isRefused(
        others,
        Obstacle.CONFLICT,
        "process " + ProcessHandle.current().pid() + " of user " + System.getProperty("user.name"),
        DEVICE,
        folder.toString(),
        "fix: ");
    assertThat(claims.take(HOST, DEVICE)).as("a try that failed takes nothing away").isFalse();
    assertThat(others.take(HOST, "uuid.2")).isTrue();
    assertThat(others.take("fedcba9876543210", DEVICE)).isTrue();

    claims.close();
    assertThat(others.take(HOST, DEVICE)).isTrue();
    isRefused(claims, Obstacle.CONFLICT, "process ");
  }

  /** The kernel does it, whatever becomes of a process. */
  @Test
  void processThatIsKilledHasNoClaimAnyMore() throws Exception {
    try (ClaimProcess process = new ClaimProcess(folder, HOST, DEVICE)) {
      isRefused(claims, Obstacle.CONFLICT, "process " + process.pid());
      process.kill();
      assertThat(claims.take(HOST, DEVICE)).isTrue();
    }
  }

  @Test
  void processIsRefusedWhatAnotherOneHas() throws Exception {
    claims.take(HOST, DEVICE);
    try (ClaimProcess process = new ClaimProcess(folder, HOST, DEVICE)) {
      assertThat(process.said()).contains("CONFLICT", "process " + ProcessHandle.current().pid());
    }
  }

  /** Others lock the file that is there. */
  @Test
  void claimWhoseFileWasRemovedIsTakenAnew() throws Exception {
    claims.take(HOST, DEVICE);
    Files.delete(file());
    assertThat(claims.take(HOST, DEVICE)).isTrue();
    isRefused(others, Obstacle.CONFLICT, "process ");

    Files.delete(file());
    assertThat(others.take(HOST, DEVICE)).isTrue();
    isRefused(claims, Obstacle.CONFLICT, "process ");
  }

  @Test
  void whatIsInTheFileIsShownAsTextAndNotBelieved() throws Exception {
    claims.take(HOST, DEVICE);
    Files.writeString(file(), "\u001b[2J" + "x".repeat(10_000), ISO_8859_1);

    assertThatThrownBy(() -> others.take(HOST, DEVICE))
        .message()
        .contains("?[2Jxxx")
        .doesNotContain("\u001b")
        .hasSizeLessThan(2_000);

    Files.writeString(file(), "");
    isRefused(others, Obstacle.CONFLICT, "it has not said yet which it is");
  }

  @Test
  void folderThatCannotBeMadeIsNoClaim() throws Exception {
    Files.createFile(directory.resolve("run"));
    isRefused(claims, Obstacle.FAILED, "cannot be told", folder.toString(), "fix: ");
  }

  @Test
  void onlyItsOwnerMayOpenTheFile() throws Exception {
    claims.take(HOST, DEVICE);
    assertThat(Files.getPosixFilePermissions(file())).hasSize(2);
    assertThat(file()).isReadable().isWritable();
  }
}
