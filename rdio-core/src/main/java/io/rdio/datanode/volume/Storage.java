// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import java.nio.file.Path;

/**
 * A storage directory of the DataNode.
 *
 * @param storageId as HDFS names it
 * @param volumeRoot the data directory, parent of {@code current}
 * @param supported false for RAM_DISK and PROVIDED, which have no extents of their own
 */
public record Storage(String storageId, Path volumeRoot, boolean supported) {}
