// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.block.BlockKey;
import java.nio.file.Path;

/**
 * A finalized replica on a local volume.
 *
 * @param storageId of the volume
 * @param volumeRoot the data directory, parent of {@code current}
 * @param length bytes, as the DataNode believes
 */
public record Replica(
    BlockKey block,
    String storageId,
    Path volumeRoot,
    Path blockFile,
    Path metaFile,
    long length) {}
