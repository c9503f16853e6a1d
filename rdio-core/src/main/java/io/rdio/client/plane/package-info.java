// SPDX-License-Identifier: Apache-2.0
/** What a client knows of where a block lies, and until when it may be believed. */
@NullMarked
package io.rdio.client.plane;

import org.jspecify.annotations.NullMarked;
