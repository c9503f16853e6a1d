// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Whatever is on the device, it is an answer or an Ext4Exception, and soon. */
final class HostileImageFuzzTest {
  private static List<HostileImage> images = List.of();
  private static List<HostileImage> signed = List.of();

  @BeforeContainer
  static void start() throws IOException, Ext4Exception {
    for (String tool : List.of("mke2fs", "debugfs", "e2fsck")) {
      Requirements.requireTool(tool);
    }
    Path directory = Files.createTempDirectory("hostile");
    images = HostileImage.make(directory);
    signed = HostileImage.makeSigned(directory);
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  static void check(int image, byte[] edits) throws Ext4Exception {
    images.get(Math.floorMod(image, images.size())).check(edits);
  }

  static void checkSigned(int image, byte[] edits) throws Ext4Exception {
    signed.get(Math.floorMod(image, signed.size())).check(edits);
  }

  @Property(tries = 3000)
  void anyDamageIsAnAnswer(
      @ForAll @IntRange(max = 7) int image, @ForAll @Size(min = 4, max = 16) byte[] edits)
      throws Ext4Exception {
    check(image, edits);
  }

  @Property(tries = 300)
  void anyDamageBehindChecksumsIsAnAnswer(
      @ForAll @IntRange(max = 1) int image, @ForAll @Size(min = 4, max = 16) byte[] edits)
      throws Ext4Exception {
    checkSigned(image, edits);
  }

  @Example
  void checksumsAreThoseOfTheImage() {
    signed.forEach(HostileImage::requireSignaturesAsTheyAre);
  }
}
