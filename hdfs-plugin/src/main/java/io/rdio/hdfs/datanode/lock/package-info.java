// SPDX-License-Identifier: Apache-2.0
/**
 * What differs between the lines of Hadoop on a DataNode: the lock under which it changes a
 * replica. All else that grants and writes need is the same from Hadoop 3.3 to 3.5, and {@code
 * PlatformCheck} looks whether it is there.
 */
@NullMarked
package io.rdio.hdfs.datanode.lock;

import org.jspecify.annotations.NullMarked;
