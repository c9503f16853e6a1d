// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Damage to forms of ext4 that were picked at random is an answer or an Ext4Exception, too. */
final class RandomShapesFuzzTest {
  private static List<HostileImage> images = List.of();

  @BeforeContainer
  static void start() throws IOException, Ext4Exception {
    Ext4Image.requireTools();
    images = CollectedImages.shapes(CollectedImages.SHAPES, CollectedImages.SEED);
  }

  @Property(tries = 400)
  void anyDamageIsAnAnswer(
      @ForAll @IntRange(max = CollectedImages.SHAPES - 1) int image,
      @ForAll @Size(min = 4, max = 16) byte[] edits) {
    images.get(image).check(edits);
  }

  @Example
  void checksumsAreThoseOfTheImages() {
    List<HostileImage> signed = images.stream().filter(HostileImage::isSigned).toList();
    assertThat(signed).isNotEmpty();
    signed.forEach(HostileImage::requireSignaturesAsTheyAre);
  }
}
