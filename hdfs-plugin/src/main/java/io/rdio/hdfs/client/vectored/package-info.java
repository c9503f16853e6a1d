// SPDX-License-Identifier: Apache-2.0
/** The ranges of a {@code readVectored}, under way together. */
package io.rdio.hdfs.client.vectored;
