// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.write;

/** What an agent knows of its own writes to a slot whose lease it has ended without a commit. */
public enum SlotEnd {
  /** One was sent and not answered. */
  UNDER_WAY(0),

  /** Each was answered; a fabric may do one of them a second time yet. */
  QUIET(1),

  /** None was ever sent, and none can be any more: nothing of the agent's can land there. */
  UNWRITTEN(2);

  private final int word;

  SlotEnd(int word) {
    this.word = word;
  }

  /** Its number in messages. */
  public int word() {
    return word;
  }

  /**
   * That of a number.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static SlotEnd of(int word) {
    for (SlotEnd end : values()) {
      if (end.word == word) {
        return end;
      }
    }
    throw new IllegalArgumentException("no end of a slot has the number " + word);
  }
}
