// SPDX-License-Identifier: Apache-2.0
/** Hash tables for millions of elements. */
@NullMarked
package io.rdio.core.table;

import org.jspecify.annotations.NullMarked;
