// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.io.IOException;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.BeforeContainer;

/** More damage to the images that e2fsprogs has is an answer or an Ext4Exception, too. */
final class E2fsprogsImagesFuzzTest {
  private static List<HostileImage> images = List.of();

  @BeforeContainer
  static void start() throws IOException {
    E2fsprogsImages.require();
    images = CollectedImages.ofE2fsprogs();
  }

  @Property(tries = 600)
  void anyDamageIsAnAnswer(@ForAll int image, @ForAll @Size(min = 4, max = 16) byte[] edits) {
    images.get(Math.floorMod(image, images.size())).check(edits);
  }

  @Example
  void eachOfThemDamagedALittleIsAnAnswer() {
    images.forEach(image -> image.check(new byte[] {1, 2, 3, 4}));
  }
}
