// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.nativeio.NativeLibrary;
import io.rdio.nativeio.SharedMemory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Huge pages are made where there is something to put there, and nobody has forbidden them. */
class HugePagesTest {
  private static final int HUGE = SharedMemory.HUGE_PAGE;

  private final AgentCounters counters = new AgentCounters();
  private SegmentMemory segment;

  @BeforeEach
  void map() throws Exception {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    segment = SegmentMemory.map(SharedMemory.create(2L * HUGE), 2L * HUGE, 2L * HUGE);
  }

  @AfterEach
  void free() {
    segment.close();
  }

  @ParameterizedTest
  @CsvSource({
    "[always] madvise never,true",
    "always [madvise] never,true",
    "always madvise [never],false"
  })
  void theAdministratorDecides(String setting, boolean wanted, @TempDir Path folder)
      throws Exception {
    assertThat(HugePages.isWanted(Files.writeString(folder.resolve("enabled"), setting)))
        .isEqualTo(wanted);
  }

  @Test
  void kernelWithoutThemIsAskedForNone(@TempDir Path folder) {
    assertThat(HugePages.isWanted(folder.resolve("enabled"))).isFalse();
  }

  @Test
  void whatWasWrittenIsAsItWasAndEachPageIsCounted() {
    segment.view().putLong(HUGE + 8, 42);

    new HugePages(true, counters).make(segment, 0, 2 * HUGE);

    assertThat(segment.view().getLong(HUGE + 8)).isEqualTo(42);
    assertThat(counters.hugePages.sum() + counters.hugePagesRefused.sum()).isEqualTo(2);
  }

  @Test
  void nothingIsDoneWhereTheyAreForbidden() {
    segment.view().putLong(8, 42);

    assertThat(new HugePages(false, counters).make(segment, 0, 2 * HUGE)).isFalse();

    assertThat(counters.hugePages.sum() + counters.hugePagesRefused.sum()).isZero();
  }
}
