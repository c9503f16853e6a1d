// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many pages the kernel has of a file; that it lets go of them is seen in SlotLifeIT. */
final class FilePagesTest {
  private static final int LENGTH = (1 << 20) + 1;
  private static final int PAGE_MAX = 64 << 10;

  @TempDir Path directory;

  private Path written() throws IOException {
    return Files.write(directory.resolve("written"), new byte[LENGTH]);
  }

  /** None of it was ever read or written. */
  private Path untouched() throws IOException {
    Path file = directory.resolve("untouched");
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
      opened.setLength(LENGTH);
    }
    return file;
  }

  @Test
  void pagesThatWereJustWrittenAreThere() throws IOException {
    int all = FilePages.cached(written(), LENGTH);
    assertThat(all).isBetween(LENGTH / PAGE_MAX + 1, LENGTH / 4096 + 1);
    assertThat(FilePages.cached(written(), LENGTH - 1)).as("but the last one").isEqualTo(all - 1);
    assertThat(FilePages.cached(written(), 1)).isEqualTo(1);
    assertThat(FilePages.cached(written(), 0)).isZero();
  }

  @Test
  void noneIsThereOfWhatNobodyTouched() throws IOException {
    assertThat(FilePages.cached(untouched(), LENGTH)).isZero();
  }

  /** None of them, or all where the file system is one in memory. */
  @Test
  void thosePagesAreLeftThatAreThereBehindIt() throws IOException {
    Path file = written();
    int all = FilePages.cached(file, LENGTH);
    assertThat(FilePages.dropAndCount(file, 0)).isZero();
    DurableFiles.syncFile(file);
    int left = isInMemory() ? all : 0;
    assertThat(FilePages.dropAndCount(file, LENGTH)).isEqualTo(left);
    assertThat(FilePages.cached(file, LENGTH)).isEqualTo(left);
    assertThat(FilePages.dropAndCount(untouched(), LENGTH)).isZero();
  }

  private boolean isInMemory() throws IOException {
    return List.of("tmpfs", "ramfs").contains(Files.getFileStore(directory).type());
  }

  /** The kernel of this host may have one of them only, before 6.5. */
  @Test
  void bothWaysCountTheSame() throws IOException {
    for (Path file : new Path[] {written(), untouched()}) {
      try (OpenFile opened = OpenFile.forReading(file)) {
        for (long length : new long[] {1, PAGE_MAX, 5 * PAGE_MAX + 1, LENGTH}) {
          int resident = opened.residentPages(length);
          assertThat(opened.cachedPages(length)).isEqualTo(resident);
          int counted = opened.countedPages(length);
          if (counted == OpenFile.UNKNOWN) {
            assertThat(mayBeRefused()).as("no cachestat").isTrue();
          } else {
            assertThat(counted).isEqualTo(resident);
          }
        }
      }
    }
  }

  /** Whether the kernel is older than cachestat, or a filter of system calls is there (seccomp). */
  private static boolean mayBeRefused() throws IOException {
    String[] kernel = System.getProperty("os.version").split("\\D+", 3);
    int version = 1000 * Integer.parseInt(kernel[0]) + Integer.parseInt(kernel[1]);
    return version < 6005
        || Files.readAllLines(Path.of("/proc/self/status")).stream()
            .anyMatch(line -> line.matches("Seccomp:\\s+[12]"));
  }

  @Test
  void lengthsThatNoFileHasAreRefused() throws IOException {
    Path file = written();
    assertThatIllegalArgumentException().isThrownBy(() -> FilePages.cached(file, -1));
    assertThatIllegalArgumentException().isThrownBy(() -> FilePages.dropAndCount(file, -1));
    assertThatIllegalArgumentException().isThrownBy(() -> FilePages.cached(file, (1L << 40) + 1));
  }
}
