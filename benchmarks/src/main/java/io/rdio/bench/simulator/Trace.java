// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import java.util.HashMap;
import java.util.Map;

/**
 * A sequence of requests. Objects are numbered from 0 in the order of their first request, so that
 * policies can keep what they know of them in arrays. Immutable.
 */
public final class Trace {
  private final String name;
  private final int[] requests;
  private final int objects;

  private Trace(String name, int[] requests, int objects) {
    this.name = name;
    this.requests = requests;
    this.objects = objects;
  }

  /** Numbers the objects of a trace, given an id per request. */
  public static Trace of(String name, long[] ids) {
    Map<Long, Integer> numbers = new HashMap<>();
    int[] requests = new int[ids.length];
    for (int i = 0; i < ids.length; i++) {
      Integer known = numbers.putIfAbsent(ids[i], numbers.size());
      requests[i] = known == null ? numbers.size() - 1 : known;
    }
    return new Trace(name, requests, numbers.size());
  }

  /** Returns what the trace is called in results. */
  public String name() {
    return name;
  }

  /** Returns how many requests there are. */
  public int length() {
    return requests.length;
  }

  /** Returns the object of a request, counted from 0. */
  public int object(int request) {
    return requests[request];
  }

  /** Returns how many different objects there are. */
  public int objects() {
    return objects;
  }

  /** Returns how many requests miss in a cache with that policy, empty at first. */
  public int misses(Policy policy) {
    int misses = 0;
    for (int object : requests) {
      if (!policy.request(object)) {
        misses++;
      }
    }
    return misses;
  }
}
