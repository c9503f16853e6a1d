// SPDX-License-Identifier: Apache-2.0
/** What is known of one block: its key, its file map, its checksums. */
@NullMarked
package io.rdio.core.block;

import org.jspecify.annotations.NullMarked;
