// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What programs outside this module may name; a change of it is a change of the API. */
final class PublicApiTest {
  @Test
  void isWhatItIsMeantToBe() throws Exception {
    assertThat(publicClasses())
        .containsExactlyInAnyOrder(
            "io.rdio.s3fifo.Cache",
            "io.rdio.s3fifo.CacheStats",
            "io.rdio.s3fifo.Policy",
            "io.rdio.s3fifo.RemovalCause",
            "io.rdio.s3fifo.RemovalListener",
            "io.rdio.s3fifo.S3Fifo",
            "io.rdio.s3fifo.Weigher",
            "io.rdio.s3fifo.policy.S3FifoEntry",
            "io.rdio.s3fifo.policy.S3FifoOptions",
            "io.rdio.s3fifo.policy.S3FifoPolicy");
  }

  private static List<String> publicClasses() throws IOException, URISyntaxException {
    Path root = Path.of(Cache.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .map(file -> root.relativize(file).toString())
          .filter(name -> name.endsWith(".class") && !name.contains("$"))
          .filter(name -> !name.endsWith("package-info.class"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .filter(PublicApiTest::isPublic)
          .toList();
    }
  }

  private static boolean isPublic(String name) {
    try {
      return Modifier.isPublic(
          Class.forName(name, false, PublicApiTest.class.getClassLoader()).getModifiers());
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }
}
