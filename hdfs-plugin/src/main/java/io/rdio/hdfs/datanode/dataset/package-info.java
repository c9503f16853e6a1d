// SPDX-License-Identifier: Apache-2.0
/** What grants and remote writes both ask of the DataNode that they run in. */
@NullMarked
package io.rdio.hdfs.datanode.dataset;

import org.jspecify.annotations.NullMarked;
