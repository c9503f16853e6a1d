// SPDX-License-Identifier: Apache-2.0
/**
 * The client that opens devices itself: its context in a JVM, its settings, its resources, and the
 * ways by which it reads. For Java 17; the rest of the client comes to it by its name only, by
 * {@link io.rdio.hdfs.client.DirectClient}.
 */
@NullMarked
package io.rdio.hdfs.client.direct;

import org.jspecify.annotations.NullMarked;
