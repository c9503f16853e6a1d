// SPDX-License-Identifier: Apache-2.0
/** What names a block, with its token or without, what asks for its map, how it is checksummed. */
package io.rdio.core.block;
