// SPDX-License-Identifier: Apache-2.0
/**
 * New files whose blocks the agent of this host writes to the devices. Stock HDFS creates,
 * completes and recovers them, has their lease, and writes whatever the agent does not: {@link
 * org.apache.hadoop.hdfs.RestOfFile}. For Java 8.
 */
package io.rdio.hdfs.client.write;
