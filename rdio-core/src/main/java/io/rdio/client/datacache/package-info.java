// SPDX-License-Identifier: Apache-2.0
/**
 * The block data cache: verified bytes of blocks that are read again and again, off the heap. It
 * stands in for the page cache, which O_DIRECT goes round.
 */
@NullMarked
package io.rdio.client.datacache;

import org.jspecify.annotations.NullMarked;
