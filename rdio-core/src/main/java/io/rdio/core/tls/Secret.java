// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.tls;

import java.util.Arrays;

/** A password that no log shows by accident. Immutable. */
public final class Secret {
  private final char[] value;

  public Secret(char[] value) {
    this.value = value.clone();
  }

  char[] value() {
    return value.clone();
  }

  boolean isEmpty() {
    return value.length == 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Secret secret && Arrays.equals(value, secret.value);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(value);
  }

  @Override
  public String toString() {
    return "(hidden)";
  }
}
