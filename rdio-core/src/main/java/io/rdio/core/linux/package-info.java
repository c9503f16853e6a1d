// SPDX-License-Identifier: Apache-2.0
/**
 * Cold Linux calls through jnr-ffi: FIEMAP, fsync, file-system identity, for the DataNode; and
 * fallocate, also for a client's flash tier.
 */
@NullMarked
package io.rdio.core.linux;

import org.jspecify.annotations.NullMarked;
