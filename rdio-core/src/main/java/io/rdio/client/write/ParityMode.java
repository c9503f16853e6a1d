// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

/** When the parity of a group is written. */
public enum ParityMode {
  /** That of a stripe before the next stripe is taken. */
  IMMEDIATE,
  /** Behind the data, but before the group is committed for whoever writes it. */
  AWAITED,
  /** Behind the data, and behind the commit. */
  DEFERRED
}
