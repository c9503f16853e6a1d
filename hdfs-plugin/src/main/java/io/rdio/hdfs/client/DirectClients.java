// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;

/** Finds the {@link DirectClient}, where this JVM can have one. */
final class DirectClients {
  /** Not by its class: a JVM that is too old for it must not meet it. */
  private static final String NAME = "io.rdio.hdfs.client.direct.DeviceClient";

  private static final int OLDEST_JAVA = 17;

  private DirectClients() {}

  private static final class Found {
    static final DirectClient CLIENT = find();

    private static DirectClient find() {
      try {
        return Class.forName(NAME)
            .asSubclass(DirectClient.class)
            .getDeclaredConstructor()
            .newInstance();
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(
            NAME + " is not in the jar that " + DirectClient.class + " is in", e);
      }
    }
  }

  /**
   * The one of this JVM.
   *
   * @throws FallbackException JVM_TOO_OLD
   */
  static DirectClient get() throws FallbackException {
    requireJava(System.getProperty("java.specification.version", ""));
    return Found.CLIENT;
  }

  /**
   * Refuses a JVM that is too old.
   *
   * @param version as {@code java.specification.version} has it: 1.8, or 11
   */
  static void requireJava(String version) throws FallbackException {
    int java;
    try {
      java = Integer.parseInt(version.startsWith("1.") ? version.substring(2) : version);
    } catch (NumberFormatException e) {
      java = 0;
    }
    if (java < OLDEST_JAVA) {
      throw new FallbackException(
          FallbackReason.JVM_TOO_OLD,
          "this is Java " + version + ", " + OLDEST_JAVA + " is needed");
    }
  }
}
