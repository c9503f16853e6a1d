// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

/**
 * The version of the metadata plane's protocol; peers of different versions do not work together.
 */
public final class ProtocolVersion {
  /** What this code speaks. */
  public static final int CURRENT = 1;

  private ProtocolVersion() {}
}
