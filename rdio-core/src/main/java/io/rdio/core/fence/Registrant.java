// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

/**
 * A host that is registered with a namespace.
 *
 * @param hostId its NVMe host identifier, in hexadecimal digits
 * @param key by which it is registered
 * @param holds whether it holds the reservation
 */
record Registrant(String hostId, long key, boolean holds) {
  @Override
  public String toString() {
    return HostKey.text(key) + " of host " + hostId + (holds ? ", which holds it" : "");
  }
}
