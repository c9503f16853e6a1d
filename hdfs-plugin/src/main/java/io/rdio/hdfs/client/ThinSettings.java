// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.agent.ipc.AgentSettings;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/** What a configuration says to a client that reads by the agent of its host. Immutable. */
public final class ThinSettings {
  private static final String ENCRYPT_DATA_TRANSFER = "dfs.encrypt.data.transfer";
  private static final String DATA_TRANSFER_PROTECTION = "dfs.data.transfer.protection";
  private static final String RPC_PROTECTION = "hadoop.rpc.protection";

  private final String mode;
  private final AgentSettings agent;
  private final Duration rpcTimeout;
  private final long deviceAfter;

  private ThinSettings(String mode, AgentSettings agent, Duration rpcTimeout, long deviceAfter) {
    this.mode = mode;
    this.agent = agent;
    this.rpcTimeout = rpcTimeout;
    this.deviceAfter = deviceAfter;
  }

  /**
   * Reads them.
   *
   * @throws FallbackException CONFIGURATION_INVALID with the key and its value, or what {@link
   *     #whyUnusable} says of a configuration
   */
  static ThinSettings of(Configuration conf) throws FallbackException {
    try {
      FallbackException unusable =
          whyDeclined(RdioConfigKeys.CLIENT_ENABLED.get(conf), encryptionRequired(conf));
      if (unusable != null) {
        throw unusable;
      }
      return new ThinSettings(
          RdioConfigKeys.CLIENT_AGENT.get(conf),
          new AgentSettings(
              RdioConfigKeys.CLIENT_AGENT_SOCKET.get(conf),
              processName(),
              RdioConfigKeys.CLIENT_AGENT_MEMORY.get(conf),
              RdioConfigKeys.CLIENT_READ_TIMEOUT.get(conf).toNanos(),
              RdioConfigKeys.CLIENT_READ_AHEAD.get(conf),
              RdioConfigKeys.CLIENT_FIRST_BYTES.get(conf)),
          RdioConfigKeys.CLIENT_RPC_TIMEOUT.get(conf),
          RdioConfigKeys.CLIENT_DEVICE_AFTER.get(conf));
    } catch (IllegalArgumentException e) { // says it all
      throw new FallbackException(
          FallbackReason.CONFIGURATION_INVALID, String.valueOf(e.getMessage()));
    }
  }

  /** For people who look at the agent. */
  private static String processName() {
    try {
      return "pid " + Files.readSymbolicLink(Paths.get("/proc/self"));
    } catch (IOException e) {
      return "a process without /proc";
    }
  }

  /** Whether the agent is asked. */
  boolean asksAgent() {
    return !mode.equals("off");
  }

  /** Whether nothing but the agent, and stock HDFS, is asked. */
  boolean requiresAgent() {
    return mode.equals("required");
  }

  /** Where the agent is, and what it may take. */
  AgentSettings agent() {
    return agent;
  }

  /** Of calls that stock HDFS can do without. */
  Duration rpcTimeout() {
    return rpcTimeout;
  }

  /** Bytes that a process reads before it opens devices itself. */
  long deviceAfter() {
    return deviceAfter;
  }

  /**
   * Why RDIO cannot be used at all on this host; null if it can.
   *
   * @param encryptionRequired {@link #encryptionRequired}
   */
  public static @Nullable FallbackException whyUnusable(
      boolean enabled, boolean encryptionRequired) {
    FallbackException declined = whyDeclined(enabled, encryptionRequired);
    return declined == null ? whyNoLibrary() : declined;
  }

  private static @Nullable FallbackException whyDeclined(
      boolean enabled, boolean encryptionRequired) {
    if (!enabled) {
      return new FallbackException(
          FallbackReason.DISABLED, RdioConfigKeys.CLIENT_ENABLED.name() + " is false");
    }
    if (encryptionRequired) {
      return new FallbackException(
          FallbackReason.ENCRYPTION_REQUIRED,
          "this client's configuration has dfs.encrypt.data.transfer or a privacy protection, and "
              + RdioConfigKeys.CLIENT_ALLOW_UNENCRYPTED.name()
              + " is false");
    }
    return null;
  }

  /** Loads librdio; why it cannot be used, or null if it can. */
  static @Nullable FallbackException whyNoLibrary() {
    NativeAvailability library = NativeLibrary.availability();
    return library.isAvailable()
        ? null
        : new FallbackException(
            FallbackReason.NATIVE_LIBRARY_UNAVAILABLE, library.detail(), library.cause());
  }

  /**
   * The DataNode's own rule, applied to the client's configuration: it may know better than a
   * DataNode whose administrator forgot to say so.
   */
  public static boolean encryptionRequired(Configuration conf) {
    boolean demanded =
        conf.getBoolean(ENCRYPT_DATA_TRANSFER, false)
            || isPrivate(conf, DATA_TRANSFER_PROTECTION)
            || isPrivate(conf, RPC_PROTECTION);
    return demanded && !RdioConfigKeys.CLIENT_ALLOW_UNENCRYPTED.get(conf);
  }

  private static boolean isPrivate(Configuration conf, String key) {
    for (String quality : conf.getTrimmedStringCollection(key)) {
      if (quality.equalsIgnoreCase("privacy")) {
        return true;
      }
    }
    return false;
  }
}
