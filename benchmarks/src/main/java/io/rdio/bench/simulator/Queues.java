// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

/** The policies that keep all objects in one queue: FIFO, LRU, CLOCK and SIEVE. */
final class Queues {
  private static final int QUEUE = 0;

  private Queues() {}

  /** First in, first out. */
  static Policy fifo(int capacity, Trace trace) {
    ObjectLists lists = new ObjectLists(trace.objects(), 1);
    return object -> {
      if (lists.listOf(object) == QUEUE) {
        return true;
      }
      admit(lists, object, capacity);
      return false;
    };
  }

  /** Least recently used. */
  static Policy lru(int capacity, Trace trace) {
    ObjectLists lists = new ObjectLists(trace.objects(), 1);
    return object -> {
      if (lists.listOf(object) == QUEUE) {
        lists.moveToHead(QUEUE, object);
        return true;
      }
      admit(lists, object, capacity);
      return false;
    };
  }

  private static void admit(ObjectLists lists, int object, int capacity) {
    if (lists.size(QUEUE) == capacity) {
      lists.removeTail(QUEUE);
    }
    lists.moveToHead(QUEUE, object);
  }

  /** FIFO with a second chance: one reference bit, and reinsertion at the head. */
  static final class Clock implements Policy {
    private final ObjectLists lists;
    private final boolean[] referenced;
    private final int capacity;

    Clock(int capacity, Trace trace) {
      this.lists = new ObjectLists(trace.objects(), 1);
      this.referenced = new boolean[trace.objects()];
      this.capacity = capacity;
    }

    @Override
    public boolean request(int object) {
      if (lists.listOf(object) == QUEUE) {
        referenced[object] = true;
        return true;
      }
      if (lists.size(QUEUE) == capacity) {
        while (referenced[lists.tail(QUEUE)]) {
          referenced[lists.tail(QUEUE)] = false;
          lists.moveToHead(QUEUE, lists.tail(QUEUE));
        }
        lists.removeTail(QUEUE);
      }
      lists.moveToHead(QUEUE, object);
      return false;
    }
  }

  /** SIEVE (NSDI'24): a hand goes from tail to head and leaves the visited where they are. */
  static final class Sieve implements Policy {
    private final ObjectLists lists;
    private final boolean[] visited;
    private final int capacity;
    private int hand = ObjectLists.NONE;

    Sieve(int capacity, Trace trace) {
      this.lists = new ObjectLists(trace.objects(), 1);
      this.visited = new boolean[trace.objects()];
      this.capacity = capacity;
    }

    @Override
    public boolean request(int object) {
      if (lists.listOf(object) == QUEUE) {
        visited[object] = true;
        return true;
      }
      if (lists.size(QUEUE) == capacity) {
        evict();
      }
      lists.moveToHead(QUEUE, object);
      return false;
    }

    private void evict() {
      int at = orTail(hand);
      while (visited[at]) {
        visited[at] = false;
        at = orTail(lists.newer(at));
      }
      hand = lists.newer(at);
      lists.remove(at);
    }

    private int orTail(int object) {
      return object == ObjectLists.NONE ? lists.tail(QUEUE) : object;
    }
  }
}
