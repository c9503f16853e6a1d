// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Bytes on the links of a bed of several DataNodes, each direction of a link by its name, headers
 * included: so far, or between two times. Each host has a link to the storage node, the client's
 * two, and a cable to the switch of the compute network.
 *
 * @param storage over the links to the storage node, both ways
 * @param received from the compute network, by each host: what one of them sent another receives
 * @param sent to the compute network, by each host
 */
record LinkBytes(Map<String, Long> storage, Map<String, Long> received, Map<String, Long> sent) {
  /** Names of the sums in {@link #figures}. */
  static final String STORAGE = "storage";

  static final String COMPUTE = "compute";
  static final String TOTAL = "total";

  /** Second letters of interfaces' names, as the fabric script gives them. */
  private static final char TO_STORAGE_NODE = 's';

  private static final char TO_SWITCH = 'n';

  /**
   * What they have carried so far.
   *
   * @param pids for each host a process on it
   */
  static LinkBytes soFar(Map<Host, Long> pids) throws IOException {
    Map<Host, NetDev> hosts = new EnumMap<>(Host.class);
    for (Map.Entry<Host, Long> entry : pids.entrySet()) {
      hosts.put(entry.getKey(), NetDev.of(entry.getValue()));
    }
    return of(hosts);
  }

  /** Those of hosts' interfaces. */
  static LinkBytes of(Map<Host, NetDev> hosts) {
    LinkBytes bytes = new LinkBytes(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    hosts.forEach(
        (host, interfaces) ->
            interfaces.links().forEach((name, counts) -> bytes.add(host, name, counts)));
    return bytes;
  }

  private void add(Host host, String name, NetDev.Counts counts) {
    if (name.length() != 2) {
      return;
    }
    if (name.charAt(1) == TO_STORAGE_NODE) {
      // The client's second one has a letter of its own.
      String end = name.charAt(0) == host.letter() ? host.label() : host.label() + "_path2";
      storage.put(end + "_to_storage", counts.sent());
      storage.put("storage_to_" + end, counts.received());
    } else if (name.charAt(1) == TO_SWITCH) {
      received.put("network_to_" + host.label(), counts.received());
      sent.put(host.label() + "_to_network", counts.sent());
    }
  }

  LinkBytes since(LinkBytes earlier) {
    return new LinkBytes(
        since(storage, earlier.storage),
        since(received, earlier.received),
        since(sent, earlier.sent));
  }

  private static Map<String, Long> since(Map<String, Long> now, Map<String, Long> earlier) {
    Map<String, Long> more = new TreeMap<>();
    now.forEach((link, bytes) -> more.put(link, bytes - earlier.getOrDefault(link, 0L)));
    return more;
  }

  /** Over the storage fabric. */
  long onStorage() {
    return sum(storage);
  }

  /** Over the compute network, each byte once. */
  long onCompute() {
    return sum(received);
  }

  /** Over all links. */
  long total() {
    return onStorage() + onCompute();
  }

  private static long sum(Map<String, Long> links) {
    return links.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Each link's direction, and the sums; the names are those of the JSON. */
  Map<String, Long> figures() {
    Map<String, Long> figures = new LinkedHashMap<>(storage);
    figures.putAll(received);
    figures.putAll(sent);
    figures.put(STORAGE, onStorage());
    figures.put(COMPUTE, onCompute());
    figures.put(TOTAL, total());
    return figures;
  }
}
