// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What of shared memory and local sockets this process has open, and how often it is mapped. */
public record OpenFiles(long segments, long sockets, long mappings) {
  private static final int INODE_COLUMN = 6; // of /proc/net/unix

  public static OpenFiles now() throws IOException {
    long segments = 0;
    long sockets = 0;
    Set<String> local = localSockets();
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      for (Path each : all.toList()) {
        String target = target(each);
        segments += target.contains("memfd:rdio-segment") ? 1 : 0;
        sockets += local.contains(target) ? 1 : 0;
      }
    }
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      long mappings = lines.filter(line -> line.contains("memfd:rdio-segment")).count();
      return new OpenFiles(segments, sockets, mappings);
    }
  }

  /** Whether there is more of anything than there was. */
  public boolean isMoreThan(OpenFiles before) {
    return segments > before.segments || sockets > before.sockets || mappings > before.mappings;
  }

  /** What descriptors of them are links to. */
  private static Set<String> localSockets() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/net/unix"))) {
      return lines
          .skip(1)
          .map(line -> "socket:[" + line.trim().split(" +", -1)[INODE_COLUMN] + "]")
          .collect(Collectors.toSet());
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
