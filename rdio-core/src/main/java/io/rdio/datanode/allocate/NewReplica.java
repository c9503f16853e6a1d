// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;

/**
 * A replica that HDFS is to begin.
 *
 * @param storageId of the volume that the NameNode chose, or "" for the DataNode's own choice
 * @param bytes that the block may have at the end, at least 1: what HDFS reserves on the volume
 * @param checksumType CRC32 or CRC32C, never NULL
 * @param bytesPerChecksum chunk size, at least 1
 */
public record NewReplica(
    BlockKey block,
    String storageId,
    long bytes,
    ChecksumSpec.Type checksumType,
    int bytesPerChecksum) {}
