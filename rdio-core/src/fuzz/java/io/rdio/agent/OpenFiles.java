// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What of shared memory and sockets this process has open, and how often it is mapped. */
public record OpenFiles(long segments, long sockets, long mappings) {
  public static OpenFiles now() throws IOException {
    long segments = 0;
    long sockets = 0;
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      for (Path each : all.toList()) {
        String target = target(each);
        segments += target.contains("memfd:rdio-segment") ? 1 : 0;
        sockets += target.startsWith("socket:") ? 1 : 0;
      }
    }
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      long mappings = lines.filter(line -> line.contains("memfd:rdio-segment")).count();
      return new OpenFiles(segments, sockets, mappings);
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (NoSuchFileException e) {
      return ""; // closed meanwhile
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
