// SPDX-License-Identifier: Apache-2.0
/** Block tokens, as a DataNode and the agent of a host check them. */
@NullMarked
package io.rdio.hdfs.token;

import org.jspecify.annotations.NullMarked;
