// SPDX-License-Identifier: Apache-2.0
package io.rdio.core;

import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A setting that messages of this module speak of. In a message it has the name that {@link
 * SettingNames} gives it, for this module knows no configuration keys.
 */
public enum Setting {
  ENABLED("RDIO's switch"),
  ROUTING("the client's routing"),
  DEVICE_AFTER("what a client reads before it opens devices"),
  DEVICES("the client's list of devices"),
  READ_TIMEOUT("the client's read timeout"),
  WRITE_TIMEOUT("the agent's write timeout"),
  WRITE_PARITY_MEMORY("the agent's memory for stripes"),
  READ_WINDOW("the client's read window"),
  BUFFER_MEMORY("the client's memory for read buffers"),
  DATA_CACHE("the size of the client's block data cache"),
  LEASE_MARGIN("the client's lease margin"),
  CLIENT_TLS("the client's TLS mode"),
  CLIENT_ALLOW_PLAINTEXT("the client's permission of plain text"),
  CLIENT_ALLOW_UNENCRYPTED("the client's permission of unencrypted reads"),
  AGENT_SOCKET("the path of the agent's socket"),
  AGENT_WRITE("the agent's leave to write"),
  CHECKSUM_TYPE("the client's checksum type"),
  DEFAULT_FILE_SYSTEM("the default file system"),
  NAME_SERVICES("the list of name services"),
  FAILOVER_PROXY_PROVIDER("the failover proxy provider"),

  DATANODE_PLUGINS("the DataNode's list of plugins"),
  DATANODE_ADDRESS("the address of the DataNode's RDIO port"),
  DATANODE_TLS("the DataNode's TLS mode"),
  DATANODE_ALLOW_UNENCRYPTED("the DataNode's permission of unencrypted reads"),
  FENCE("the DataNode's fence"),
  WRITE_IO_TIME_MAX("the DataNode's longest time of a write"),
  PINS_MAX("the cap of pins"),
  PINNED_DELETED_BYTES_MAX("the cap of pinned and deleted bytes"),
  LEASES_MAX("the cap of leases"),
  LEASES_MEMORY_MAX("the cap of the memory of leases"),
  LEASES_PER_ADDRESS_MAX("the cap of an address's leases"),
  PINNED_BYTES_PER_ADDRESS_MAX("the cap of an address's pinned bytes"),
  LIST_LEASES_FROM("the addresses that may list leases");

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([A-Z_]+)}");

  private final String words;

  Setting(String words) {
    this.words = words;
  }

  /** Its name where it has one, else what it is. */
  @Override
  public String toString() {
    try {
      return Given.NAMES.nameOf(this);
    } catch (LinkageError e) {
      return words; // in a program that lacks what the names are made with, as Hadoop
    }
  }

  /** A message with the settings that it names as {@code {CONSTANT}}; others stay as they are. */
  static String fillIn(String message) {
    StringBuffer filled = new StringBuffer();
    Matcher placeholder = PLACEHOLDER.matcher(message);
    while (placeholder.find()) {
      placeholder.appendReplacement(filled, Matcher.quoteReplacement(named(placeholder)));
    }
    return placeholder.appendTail(filled).toString();
  }

  private static String named(MatchResult placeholder) {
    for (Setting setting : values()) {
      if (setting.name().equals(placeholder.group(1))) {
        return setting.toString();
      }
    }
    return placeholder.group();
  }

  /** Looked for with the first message that needs them. */
  private static final class Given {
    static final SettingNames NAMES = find();

    private static SettingNames find() {
      try {
        Iterator<SettingNames> names =
            ServiceLoader.load(SettingNames.class, Setting.class.getClassLoader()).iterator();
        return names.hasNext() ? names.next() : setting -> setting.words;
      } catch (ServiceConfigurationError | LinkageError e) {
        return setting -> setting.words;
      }
    }
  }
}
