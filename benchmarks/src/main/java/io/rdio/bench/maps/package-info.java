// SPDX-License-Identifier: Apache-2.0
/** The FileMap cache with millions of blocks: its memory, and lookups by many threads. */
@NullMarked
package io.rdio.bench.maps;

import org.jspecify.annotations.NullMarked;
