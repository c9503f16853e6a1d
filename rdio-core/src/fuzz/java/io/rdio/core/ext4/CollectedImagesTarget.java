// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** For Jazzer: the first two bytes pick an image, and the others are damage to it. */
public final class CollectedImagesTarget {
  private static List<HostileImage> images = List.of();

  private CollectedImagesTarget() {}

  /** One of each image, with a little damage. */
  public static List<byte[]> seeds() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    for (int i = 0; i < CollectedImages.SHAPES + E2fsprogsImages.packed().size(); i++) {
      seeds.add(new byte[] {(byte) (i >> Byte.SIZE), (byte) i, 1, 2, 3, 4});
    }
    return seeds;
  }

  public static void fuzzerInitialize() throws IOException, Ext4Exception {
    if (Requirements.areAllRequired()) {
      E2fsprogsImages.require();
    }
    List<HostileImage> all =
        new ArrayList<>(CollectedImages.shapes(CollectedImages.SHAPES, CollectedImages.SEED));
    List<HostileImage> others = CollectedImages.ofE2fsprogs();
    System.out.println(others.size() + " images of e2fsprogs");
    all.addAll(others);
    images = all;
  }

  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length < 2) {
      return;
    }
    int image = (((data[0] & 0xFF) << Byte.SIZE) | (data[1] & 0xFF)) % images.size();
    images.get(image).check(Arrays.copyOfRange(data, 2, data.length));
  }
}
