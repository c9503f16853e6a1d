// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.ScratchFolder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
    try (ScratchFolder folder = ScratchFolder.make("hostile")) {
      images = HostileImage.make(folder.path());
      signed = HostileImage.makeSigned(folder.path());
    }
  }

  static void check(int image, byte[] edits) {
    images.get(Math.floorMod(image, images.size())).check(edits);
  }

  static void checkSigned(int image, byte[] edits) {
    signed.get(Math.floorMod(image, signed.size())).check(edits);
  }

  @Property(tries = 3000)
  void anyDamageIsAnAnswer(
      @ForAll @IntRange(max = 7) int image, @ForAll @Size(min = 4, max = 16) byte[] edits) {
    check(image, edits);
  }

  @Property(tries = 300)
  void anyDamageBehindChecksumsIsAnAnswer(
      @ForAll @IntRange(max = 1) int image, @ForAll @Size(min = 4, max = 16) byte[] edits) {
    checkSigned(image, edits);
  }

  @Example
  void checksumsAreThoseOfTheImage() {
    signed.forEach(HostileImage::requireSignaturesAsTheyAre);
  }

  /** So that damage to them is looked at by moments, too. */
  @Example
  void imagesWithChecksumsAreThoseThatThePlaneReads() {
    assertThat(signed).isNotEmpty().allMatch(HostileImage::isReadByThePlane);
  }

  @Example
  void damageIsUndone() {
    List<HostileImage> all = new ArrayList<>(images);
    all.addAll(signed);
    for (HostileImage image : all) {
      byte[] whole = image.content();
      image.check(new byte[] {0, 0, 1, 77, 2, 5, 2, 66, 3, 9, 1, 55});
      assertThat(image.content()).isEqualTo(whole);
    }
  }
}
