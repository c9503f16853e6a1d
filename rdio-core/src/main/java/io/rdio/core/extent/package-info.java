// SPDX-License-Identifier: Apache-2.0
/** Where the bytes of a file lie on a device, and how a byte range is cut along its extents. */
@NullMarked
package io.rdio.core.extent;

import org.jspecify.annotations.NullMarked;
