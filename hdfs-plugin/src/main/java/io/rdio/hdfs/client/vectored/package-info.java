// SPDX-License-Identifier: Apache-2.0
/** The ranges of a {@code readVectored}, under way together. */
@NullMarked
package io.rdio.hdfs.client.vectored;

import org.jspecify.annotations.NullMarked;
