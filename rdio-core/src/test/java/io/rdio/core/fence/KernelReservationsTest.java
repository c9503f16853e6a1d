// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.rdio.core.fence.ReservationException.Obstacle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the kernel says where there is nothing to reserve; the rest is tested in the test bed. */
final class KernelReservationsTest {
  @TempDir Path folder;

  private static void refused(ThrowingCallable call, Obstacle obstacle, String text) {
    assertThatThrownBy(call)
        .hasMessageContaining(text)
        .asInstanceOf(type(ReservationException.class))
        .extracting(ReservationException::obstacle)
        .isEqualTo(obstacle);
  }

  @Test
  void regularFileTakesNoReservations() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    try (Reservations reservations = KernelReservations.open(file)) {
      refused(reservations::report, Obstacle.UNSUPPORTED, file + ": Reservation Report");
      refused(() -> reservations.register(1), Obstacle.UNSUPPORTED, "IOC_PR_REGISTER");
      refused(() -> reservations.unregister(1), Obstacle.UNSUPPORTED, "Reservation Register");
    }
    assertThat(file).isEmptyFile();
  }

  /** A call gets a buffer from its position on, so that has to be its beginning. */
  @Test
  void argumentsAreTheStructsOfPrH() {
    ByteBuffer keys = KernelReservations.twoKeys(1, 2, 3);
    assertThat(keys.remaining()).isEqualTo(24);
    assertThat(keys.position()).isZero();
    assertThat(new long[] {keys.getLong(), keys.getLong(), keys.getInt(), keys.getInt()})
        .containsExactly(1, 2, 3, 0);
    ByteBuffer key = KernelReservations.oneKey(4, 5);
    assertThat(key.remaining()).isEqualTo(16);
    assertThat(key.position()).isZero();
    assertThat(new long[] {key.getLong(), key.getInt(), key.getInt()}).containsExactly(4, 5, 0);
  }

  @Test
  void nodeThatIsNotThereIsNamed() {
    Path node = folder.resolve("nvme9n9");
    refused(() -> KernelReservations.open(node), Obstacle.FAILED, node.toString());
  }

  /** Statuses of pr.h, and the target's own as older kernels hand them on, with DNR. */
  @ParameterizedTest
  @CsvSource({
    "0x18, CONFLICT",
    "0x4083, CONFLICT",
    "0x83, CONFLICT",
    "0x4001, UNSUPPORTED",
    "0x2, UNSUPPORTED",
    "0x10000, FAILED",
    "0x370, FAILED"
  })
  void statusSaysWhatStandsInTheWay(String status, Obstacle obstacle) {
    refused(
        () -> PrStatus.check("call", folder, Integer.decode(status), 0),
        obstacle,
        folder + ": call");
  }
}
