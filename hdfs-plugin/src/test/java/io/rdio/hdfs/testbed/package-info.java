// SPDX-License-Identifier: Apache-2.0
/** The test bed, driven as a user does. */
@NullMarked
package io.rdio.hdfs.testbed;

import org.jspecify.annotations.NullMarked;
