// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Files that were closed, and what was written to them. For one thread. */
final class KnownFiles {
  /** Reads files, in their order. */
  interface Reader {
    ReadOutcome read(FileSet files) throws IOException;
  }

  private final Map<FileSet, String> sha256s = new LinkedHashMap<>();

  /** Notes files that are closed. */
  void add(FileSet files, String sha256) {
    sha256s.put(files, sha256);
  }

  /** Notes that they are to be looked at no more. */
  void remove(FileSet files) {
    sha256s.remove(files);
  }

  /** Those that are not what was written. */
  Set<String> differing(Reader reader) throws IOException {
    Set<String> differing = new TreeSet<>();
    for (Map.Entry<FileSet, String> known : sha256s.entrySet()) {
      FileSet files = known.getKey();
      ReadOutcome outcome = reader.read(files);
      if (!outcome.sha256().equals(known.getValue()) || outcome.bytes() != files.bytes()) {
        differing.add(files.name());
      }
    }
    return differing;
  }
}
