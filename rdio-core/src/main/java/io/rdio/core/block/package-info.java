// SPDX-License-Identifier: Apache-2.0
/** What names a block, what asks for one, and how one is checksummed. */
@NullMarked
package io.rdio.core.block;

import org.jspecify.annotations.NullMarked;
