// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the interfaces of one host have carried so far, by {@code /proc/PID/net/dev}.
 *
 * @param links by the interface's name
 */
record NetDev(Map<String, Counts> links) {
  /** Where in a line the numbers are: of those received and of those sent bytes come first. */
  private static final int RECEIVED = 0;

  private static final int SENT = 8;

  /** Bytes over one interface, headers included. */
  record Counts(long received, long sent) {}

  /**
   * Those of a host.
   *
   * @param pid a process on it
   */
  static NetDev of(long pid) throws IOException {
    return parse(Files.readAllLines(Path.of("/proc", Long.toString(pid), "net/dev")));
  }

  /** Those that the lines of the file tell of; its two headings have no colon. */
  static NetDev parse(List<String> lines) throws IOException {
    Map<String, Counts> links = new TreeMap<>();
    for (String line : lines) {
      int colon = line.indexOf(':');
      if (colon >= 0) {
        List<String> numbers = List.of(line.substring(colon + 1).strip().split("\\s+", -1));
        if (numbers.size() <= SENT) {
          throw new IOException("not the counts of an interface: " + line);
        }
        Counts counts =
            new Counts(Long.parseLong(numbers.get(RECEIVED)), Long.parseLong(numbers.get(SENT)));
        links.put(line.substring(0, colon).strip(), counts);
      }
    }
    return new NetDev(links);
  }

  /** One of them, which must be there. */
  Counts link(String name) throws IOException {
    Counts counts = links.get(name);
    if (counts == null) {
      throw new IOException("no interface " + name + " among " + links.keySet());
    }
    return counts;
  }
}
