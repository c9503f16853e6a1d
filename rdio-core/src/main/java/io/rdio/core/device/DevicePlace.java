// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import java.nio.file.Path;

/**
 * Where this host has a device that a DataNode means, for whoever has to open it himself.
 *
 * @param node of the device, or of the whole disk where this host has no node for the partition
 * @param startBytes where on that node's device the DataNode's device starts
 */
public record DevicePlace(Path node, long startBytes) {}
