// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

/** A stand-in for the lanes' own: where a replica goes. Immutable. */
public final class WriteTarget {
  public WriteTarget(
      String host, int transferPort, int infoPort, String storageId, byte[] token) {}
}
