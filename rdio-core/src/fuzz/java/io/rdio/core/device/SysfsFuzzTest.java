// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.FakeSysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;

/** Whatever one device's attributes hold, the other devices are found. */
final class SysfsFuzzTest {
  private static final List<String> ATTRIBUTES =
      List.of("size", "start", "wwid", "hidden", "queue/dma_alignment", "partition");

  private Path root;
  private Path odd;

  @BeforeProperty
  void makeSysfs() throws IOException {
    root = Files.createTempDirectory("rdio-sysfs-");
    FakeSysfs sysfs = new FakeSysfs(root);
    sysfs.disk("nvme0n1", 1 << 30, "eui.1");
    sysfs.disk("nvme1n1", 1 << 30, "eui.2");
    odd = sysfs.partition("nvme1n1", "nvme1n1p1", 1 << 20, 1 << 29);
    Files.createDirectories(odd.resolve("queue"));
  }

  @AfterProperty
  void deleteSysfs() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Property(tries = 300)
  void otherDevicesAreFound(@ForAll("attributes") String attribute, @ForAll("texts") byte[] text)
      throws IOException {
    Path file = odd.resolve(attribute);
    byte[] before = Files.exists(file) ? Files.readAllBytes(file) : null;
    Files.write(file, text);
    try {
      List<SysfsBlockDevice> found = SysfsBlockDevice.list(root);
      assertThat(found).extracting(SysfsBlockDevice::name).contains("nvme0n1", "nvme1n1");
      assertThat(found)
          .allSatisfy(
              device -> {
                assertThat(device.sizeBytes()).isNotNegative();
                assertThat(device.startBytes()).isNotNegative();
                assertThat(device.dmaAlignment()).isBetween(1, 4096);
              });
    } finally {
      if (before == null) {
        Files.delete(file);
      } else {
        Files.write(file, before);
      }
    }
  }

  @Provide
  Arbitrary<String> attributes() {
    return Arbitraries.of(ATTRIBUTES);
  }

  @Provide
  Arbitrary<byte[]> texts() {
    Arbitrary<byte[]> numbers =
        Arbitraries.oneOf(
                Arbitraries.longs(),
                Arbitraries.of(Long.MAX_VALUE, Long.MIN_VALUE, -1L, 0L, Long.MAX_VALUE / 512 + 1))
            .map(number -> (number + "\n").getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    return Arbitraries.oneOf(numbers, Arbitraries.bytes().array(byte[].class).ofMaxSize(40));
  }
}
