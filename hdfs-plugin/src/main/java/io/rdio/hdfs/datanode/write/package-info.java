// SPDX-License-Identifier: Apache-2.0
/**
 * Remote writes in a DataNode of Hadoop (docs/remote-writes.md). {@link
 * io.rdio.hdfs.datanode.write.HadoopReplicaWriter} is what HDFS has to do for them, {@link
 * io.rdio.hdfs.datanode.write.WriteRuntime} puts the rest around it. Nothing of it is there while
 * {@code dfs.datanode.rdio.write} is off.
 */
@NullMarked
package io.rdio.hdfs.datanode.write;

import org.jspecify.annotations.NullMarked;
