// SPDX-License-Identifier: Apache-2.0
/** Puts a client together that reads by itself, for whatever program it is part of. */
@NullMarked
package io.rdio.client.runtime;

import org.jspecify.annotations.NullMarked;
