// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists of folders, also of such as cannot be read to their end. */
final class FoldersTest {
  @TempDir Path folder;

  /** Of a folder on a device that fails. */
  private static final class Broken implements DirectoryStream<Path> {
    private final IOException why;

    Broken(IOException why) {
      this.why = why;
    }

    @Override
    public Iterator<Path> iterator() {
      throw new DirectoryIteratorException(why);
    }

    @Override
    public void close() {}
  }

  @Test
  void namesThatMatch() throws Exception {
    Path copy = Files.createFile(folder.resolve("copy-1"));
    Path other = Files.createFile(folder.resolve(".other"));
    assertThat(Folders.list(folder, "copy-*")).containsExactly(copy);
    assertThat(Folders.list(folder, "*")).containsExactlyInAnyOrder(copy, other);
  }

  @Test
  void whatCannotBeReadIsNoUncheckedException() {
    IOException why = new IOException("the device fails");
    assertThatThrownBy(() -> Folders.all(new Broken(why))).isSameAs(why);
    assertThatThrownBy(() -> Folders.list(folder.resolve("none"), "*"))
        .isInstanceOf(IOException.class);
  }
}
