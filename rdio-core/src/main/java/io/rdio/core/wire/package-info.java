// SPDX-License-Identifier: Apache-2.0
/**
 * What goes over the metadata plane, for both of its ends: the messages, how values are written to
 * them and read from them, the proofs that bind an answer to its question, and channels.
 */
@NullMarked
package io.rdio.core.wire;

import org.jspecify.annotations.NullMarked;
