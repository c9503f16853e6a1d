// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.rdio.core.testing.FakeSysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What sysfs says of devices that this machine need not have. */
final class SysfsBlockDeviceTest {
  private static final long FIRST = 259L << 8;

  @TempDir Path directory;
  private FakeSysfs sysfs;

  @BeforeEach
  void makeSysfs() {
    sysfs = new FakeSysfs(directory);
  }

  @Test
  void nvmeNamespaceAndItsPartition() throws IOException {
    sysfs.disk("nvme0n1", 1 << 20, "eui.0025385");
    sysfs.partition("nvme0n1", "nvme0n1p1", 4096, 65536);

    assertThat(SysfsBlockDevice.list(directory))
        .containsExactly(
            new SysfsBlockDevice(
                "nvme0n1", 1 << 20, "nvme0n1", 0, "eui.0025385", "", List.of(), false, 512),
            new SysfsBlockDevice(
                "nvme0n1p1", 65536, "nvme0n1", 4096, "eui.0025385", "", List.of(), false, 512));
    assertThat(only("nvme0n1p1").isPartition()).isTrue();
    assertThat(only("nvme0n1").isPartition()).isFalse();
    assertThat(SysfsBlockDevice.ofNumbers(directory, FIRST + 1).name()).isEqualTo("nvme0n1p1");
  }

  @Test
  void scsiDiskHasItsWwidBelowTheDevice() throws IOException {
    Path disk = sysfs.disk("sda", 1 << 20, "");
    Files.createDirectory(disk.resolve("device"));
    Files.writeString(disk.resolve("device/wwid"), "naa.5000c500a1b2c3d4\n");

    assertThat(only("sda").wwid()).isEqualTo("naa.5000c500a1b2c3d4");
  }

  @ParameterizedTest
  @ValueSource(strings = {"dm", "md", "bcache"})
  void stackedDeviceIsNamed(String driver) throws IOException {
    Path disk = sysfs.disk(driver + "0", 1 << 20, "");
    Files.createDirectory(disk.resolve(driver));

    assertThat(only(driver + "0").kind()).isEqualTo(driver);
  }

  @ParameterizedTest
  @CsvSource({"ram0, ram", "zram1, zram", "drbd12, drbd", "sr0, sr", "loop0, ''", "nbd3, ''"})
  void driverIsToldByTheName(String name, String kind) throws IOException {
    sysfs.disk(name, 1 << 20, "");

    assertThat(only(name).kind()).isEqualTo(kind);
  }

  @Test
  void unknownStackIsToldByItsSlaves() throws IOException {
    Path disk = sysfs.disk("cas1-1", 1 << 20, "");
    Files.createDirectories(disk.resolve("slaves/sda"));
    Files.createDirectories(disk.resolve("slaves/sdb"));

    assertThat(only("cas1-1").kind()).isEqualTo("stacked on sda, sdb");
  }

  @Test
  void hiddenPathAndHoldersAndDmaMask() throws IOException {
    Path disk = sysfs.disk("nvme0c1n1", 1 << 20, "");
    Files.writeString(disk.resolve("hidden"), "1\n");
    Files.createDirectories(disk.resolve("holders/dm-0"));
    Files.createDirectories(disk.resolve("queue"));
    Files.writeString(disk.resolve("queue/dma_alignment"), "3\n");

    SysfsBlockDevice device = only("nvme0c1n1");

    assertThat(device.hidden()).isTrue();
    assertThat(device.holders()).containsExactly("dm-0");
    assertThat(device.dmaAlignment()).isEqualTo(4);
  }

  @Test
  void exclamationMarkStandsForASlash() throws IOException {
    sysfs.disk("cciss!c0d0", 1 << 20, "");

    assertThat(only("cciss!c0d0").node(Path.of("/dev"))).isEqualTo(Path.of("/dev/cciss/c0d0"));
  }

  @Test
  void deviceThatVanishedIsLeftOut() throws IOException {
    sysfs.disk("sda", 1 << 20, "");
    Files.createSymbolicLink(directory.resolve("class/block/sdb"), directory.resolve("gone"));

    assertThat(SysfsBlockDevice.list(directory)).extracting("name").containsExactly("sda");
  }

  @Test
  void numbersAreDecodedAsGlibcEncodesThem() {
    assertThat(SysfsBlockDevice.major(0x0000_1000_0000_0302L)).isEqualTo(0x1003);
    assertThat(SysfsBlockDevice.minor(0x0000_0000_1230_0845L)).isEqualTo(0x12345);
  }

  @Test
  void numberThatIsNoneIsNamed() throws IOException {
    Path disk = sysfs.disk("sda", 1 << 20, "");
    Files.writeString(disk.resolve("size"), "many\n");

    assertThatIOException()
        .isThrownBy(() -> SysfsBlockDevice.ofNumbers(directory, FIRST))
        .withMessageContaining("sda/size holds \"many\" instead of a number");
  }

  private SysfsBlockDevice only(String name) throws IOException {
    return SysfsBlockDevice.list(directory).stream()
        .filter(device -> device.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
