// SPDX-License-Identifier: Apache-2.0
/**
 * Blocks read from their DataNodes as stock HDFS does, for an accessor that gave up on the device,
 * and its verdict on replicas that look corrupt.
 */
package io.rdio.hdfs.client.stock;
