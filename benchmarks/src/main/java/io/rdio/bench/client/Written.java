// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

/**
 * What operations on records wrote, besides what they read.
 *
 * @param bytes all of them
 * @param byRdio those of them that went by RDIO
 */
public record Written(long bytes, long byRdio) {
  /** Where nothing was. */
  public static final Written NONE = new Written(0, 0);
}
