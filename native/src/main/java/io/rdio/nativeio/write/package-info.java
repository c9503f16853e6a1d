// SPDX-License-Identifier: Apache-2.0
/**
 * Writes to devices past the page cache, inside the extents of slots that a write lease was granted
 * on, and nowhere else.
 */
package io.rdio.nativeio.write;
