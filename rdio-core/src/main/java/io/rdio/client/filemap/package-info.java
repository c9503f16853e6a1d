// SPDX-License-Identifier: Apache-2.0
/**
 * The client's FileMap cache: one load for each block, renewed while in use, gone with its lease.
 */
@NullMarked
package io.rdio.client.filemap;

import org.jspecify.annotations.NullMarked;
