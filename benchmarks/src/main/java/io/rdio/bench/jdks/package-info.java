// SPDX-License-Identifier: Apache-2.0
/** The same reads by clients on several releases of Java. */
@NullMarked
package io.rdio.bench.jdks;

import org.jspecify.annotations.NullMarked;
