// SPDX-License-Identifier: Apache-2.0
/**
 * Which DataNodes hold a block: from the replies that the application's own clients got, or by a
 * question of our own to the NameNode.
 */
@NullMarked
package io.rdio.hdfs.client.locate;

import org.jspecify.annotations.NullMarked;
