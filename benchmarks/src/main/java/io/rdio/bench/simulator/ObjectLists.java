// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import java.util.Arrays;

/**
 * Doubly linked lists of objects in arrays. An object is in one list at most. Lists go from head
 * (the newest, as a rule) to tail.
 */
public final class ObjectLists {
  /** The list of an object that is in none, and the object at the end of an empty list. */
  public static final int NONE = -1;

  private final int objects;
  private final int[] newer;
  private final int[] older;
  private final int[] listOf;
  private final int[] sizes;

  public ObjectLists(int objects, int lists) {
    this.objects = objects;
    // Each list is a ring closed by an element of its own: number objects + list.
    newer = new int[objects + lists];
    older = new int[objects + lists];
    listOf = new int[objects];
    sizes = new int[lists];
    Arrays.setAll(newer, i -> i);
    Arrays.setAll(older, i -> i);
    Arrays.fill(listOf, NONE);
  }

  public int listOf(int object) {
    return listOf[object];
  }

  public int size(int list) {
    return sizes[list];
  }

  /** Returns the oldest of the list, or {@link #NONE}. */
  public int tail(int list) {
    return orNone(newer[objects + list]);
  }

  /** Returns the next newer object in the same list, or {@link #NONE} at its head. */
  int newer(int object) {
    return orNone(newer[object]);
  }

  /** Puts an object that is in any list or none at the head of {@code list}. */
  public void moveToHead(int list, int object) {
    if (listOf[object] != NONE) {
      remove(object);
    }
    int end = objects + list;
    int head = older[end];
    older[end] = object;
    newer[object] = end;
    older[object] = head;
    newer[head] = object;
    listOf[object] = list;
    sizes[list]++;
  }

  /** Takes an object out of the list that it is in. */
  public void remove(int object) {
    newer[older[object]] = newer[object];
    older[newer[object]] = older[object];
    sizes[listOf[object]]--;
    listOf[object] = NONE;
  }

  /** Takes the oldest out of a list that is not empty and returns it. */
  public int removeTail(int list) {
    int object = tail(list);
    if (object == NONE) {
      throw new IllegalStateException("list " + list + " is empty");
    }
    remove(object);
    return object;
  }

  private int orNone(int element) {
    return element < objects ? element : NONE;
  }
}
