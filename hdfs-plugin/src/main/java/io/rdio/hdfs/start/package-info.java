// SPDX-License-Identifier: Apache-2.0
/**
 * How Hadoop's commands start fast: the classes that a read needs, for a class-data archive. The
 * shell profile {@code rdio.sh} makes and uses it.
 */
@NullMarked
package io.rdio.hdfs.start;

import org.jspecify.annotations.NullMarked;
