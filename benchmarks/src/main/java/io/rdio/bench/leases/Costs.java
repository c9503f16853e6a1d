// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import java.util.Map;
import java.util.TreeMap;

/** What some DataNodes' or hosts' work came to, by kind. For one thread at a time. */
final class Costs {
  private final Map<String, Cost> byKind = new TreeMap<>();

  /** Of a kind; nothing where nothing was added. */
  Cost of(String kind) {
    return byKind.getOrDefault(kind, Cost.NONE);
  }

  void add(String kind, Cost cost) {
    byKind.merge(kind, cost, Cost::plus);
  }

  void addAll(Costs others) {
    others.byKind.forEach(this::add);
  }

  /** Of all kinds together. */
  Cost sum() {
    return byKind.values().stream().reduce(Cost.NONE, Cost::plus);
  }
}
