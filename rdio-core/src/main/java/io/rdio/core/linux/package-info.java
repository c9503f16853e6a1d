// SPDX-License-Identifier: Apache-2.0
/** Cold Linux calls of the DataNode through jnr-ffi: FIEMAP, fsync, file-system identity. */
@NullMarked
package io.rdio.core.linux;

import org.jspecify.annotations.NullMarked;
