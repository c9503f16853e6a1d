// SPDX-License-Identifier: Apache-2.0
/** What names a block, with its token or without, what asks for its map, how it is checksummed. */
@NullMarked
package io.rdio.core.block;

import org.jspecify.annotations.NullMarked;
