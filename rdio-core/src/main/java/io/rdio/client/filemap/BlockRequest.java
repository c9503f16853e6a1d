// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.core.block.BlockKey;

/**
 * A block that somebody wants to read, with what it takes to find its DataNodes and to be granted
 * its map.
 *
 * @param fileName absolute path of the file, as HDFS gives it to a replica accessor
 * @param token block token in the form of {@code Token.write}; empty, or of a token without
 *     content, where the cluster has none
 */
@SuppressWarnings("ArrayRecordComponent") // a request is passed on, never compared
public record BlockRequest(BlockKey block, String fileName, byte[] token) {}
