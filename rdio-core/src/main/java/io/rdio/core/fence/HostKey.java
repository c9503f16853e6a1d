// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;

/**
 * The key by which a host reserves namespaces. It follows from the host's name alone, as the
 * NameNode lists it: so a host that starts again finds its own reservation, and whoever shuts it
 * out needs nothing but its name.
 */
public final class HostKey {
  private static final String PURPOSE = "rdio reservation of ";

  private HostKey() {}

  /**
   * Never 0, which means that there is no key.
   *
   * @param host of any case, with or without a dot at its end
   * @throws IllegalArgumentException for an empty name
   */
  public static long of(String host) {
    String name = name(host);
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest((PURPOSE + name).getBytes(UTF_8));
      long key = ByteBuffer.wrap(digest).getLong();
      return key == 0 ? 1 : key;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /**
   * The one form of a host's name.
   *
   * @throws IllegalArgumentException for an empty name
   */
  public static String name(String host) {
    String name = oneForm(host);
    if (name.isEmpty()) {
      throw new IllegalArgumentException("a host has a name, and \"" + host + "\" is none");
    }
    return name;
  }

  /** Whether it is a name, so that it has a key. */
  static boolean isName(String host) {
    return !oneForm(host).isEmpty();
  }

  private static String oneForm(String host) {
    String name = host.strip().toLowerCase(Locale.ROOT);
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }

  /** As {@code nvme resv-report} shows it. */
  public static String text(long key) {
    return "0x" + Long.toHexString(key);
  }
}
