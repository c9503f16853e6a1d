// SPDX-License-Identifier: Apache-2.0
/** The rdio command. */
@NullMarked
package io.rdio.hdfs.cli;

import org.jspecify.annotations.NullMarked;
