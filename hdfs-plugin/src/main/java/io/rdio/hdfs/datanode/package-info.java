// SPDX-License-Identifier: Apache-2.0
/** The DataNode's hook: a service plugin that grants file maps. */
@NullMarked
package io.rdio.hdfs.datanode;

import org.jspecify.annotations.NullMarked;
