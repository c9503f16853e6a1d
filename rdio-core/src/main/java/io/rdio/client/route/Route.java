// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

/** A way to a block's bytes. */
public enum Route {
  DEVICE,
  DATANODE;

  Route other() {
    return this == DEVICE ? DATANODE : DEVICE;
  }
}
