// SPDX-License-Identifier: Apache-2.0
/** The client's hook: a replica accessor for DFSClient, and the per-JVM context behind it. */
@NullMarked
package io.rdio.hdfs.client;

import org.jspecify.annotations.NullMarked;
