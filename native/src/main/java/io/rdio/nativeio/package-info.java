// SPDX-License-Identifier: Apache-2.0
/** Thin bindings of librdio and its loader: reading a device past the page cache. */
@NullMarked
package io.rdio.nativeio;

import org.jspecify.annotations.NullMarked;
