// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import java.util.Locale;

/**
 * What the time of a file goes to that is read or written, in the order in which it comes. What
 * RDIO counts for itself is in none of the others. Phases follow each other, but for what RDIO does
 * while the application goes on: the Commit of a full block beside the next one's first bytes.
 */
public enum Phase {
  /** It is opened: the NameNode says where its blocks are. */
  OPEN,
  /** Its map is asked for, of the DataNode. RDIO's alone. */
  MAP,
  /** The device is waited for. RDIO's alone. */
  DEVICE,
  /** All else of reading it: of RDIO CRCs, copies, and finding a device for the first time. */
  READ,
  /** It is created at the NameNode. */
  CREATE,
  /** Slots are asked for, and looked at, of all targets of its blocks. RDIO's alone. */
  ALLOCATE,
  /** Bytes are handed over to the agent, which writes them meanwhile. RDIO's alone. */
  HAND_OVER,
  /** What is left is written, flushed and committed by all targets. RDIO's alone. */
  COMMIT,
  /** All else from its creation to the end, where RDIO wrote: it gets blocks, and is completed. */
  REST,
  /** Bytes are written, where RDIO wrote none. */
  WRITE,
  /** It is closed; behind a write what is under way is waited for, and it is completed. */
  CLOSE;

  /** What reports call it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
