// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.ext4.journal.Journal;
import io.rdio.core.testing.InMemory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The images that e2fsprogs tests itself with, most of them damaged in one way or another: the
 * reader answers as debugfs does, or says what it is that it does not answer.
 */
final class E2fsprogsImagesIT {
  private static final int IMAGES = 200;

  @TempDir(factory = InMemory.class)
  Path directory;

  private int answered;
  private int refused;
  private int unopened;

  @Test
  void eachAnswerIsThatOfDebugfs() throws Exception {
    Ext4Image.requireTools();
    E2fsprogsImages.require();
    List<Path> packed = E2fsprogsImages.packed();
    assertThat(packed).hasSizeGreaterThan(IMAGES);
    List<String> differences = new ArrayList<>();
    for (Path each : packed) {
      try {
        check(unpacked(each));
      } catch (AssertionError | IOException | RuntimeException e) {
        differences.add(E2fsprogsImages.FOLDER.relativize(each) + ": " + e);
      }
    }
    assertThat(differences).isEmpty();
    // Of all the damage there is, most leaves most to be read.
    assertThat(answered).isGreaterThan(240_000);
    assertThat(refused).isLessThan(200);
    assertThat(unopened).isLessThan(30);
  }

  private Path unpacked(Path packed) throws IOException {
    Path image = directory.resolve("image");
    try (InputStream in = E2fsprogsImages.open(packed)) {
      Files.copy(in, image, StandardCopyOption.REPLACE_EXISTING);
    }
    return image;
  }

  private void check(Path file) throws IOException {
    Ext4Image image = new Ext4Image(file);
    try {
      Ext4Volume device = Ext4Volume.open(NamedDevice.open(file));
      answered += DebugfsWalk.compare(image, device, e -> refused++);
      Ext4Volume seen = Journal.over(device);
      if (seen != device) {
        image.change("jr");
        answered += DebugfsWalk.compare(image, seen, e -> refused++);
      }
    } catch (Ext4Exception e) {
      assertThat(e.kind()).isNotEqualTo(Ext4Exception.Kind.IO);
      unopened++;
    } catch (FallbackException e) {
      throw new IOException(e);
    }
  }
}
