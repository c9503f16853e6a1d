// SPDX-License-Identifier: Apache-2.0
/** How figures are shown, whatever they are of: tables, charts and pages. */
@NullMarked
package io.rdio.bench.report;

import org.jspecify.annotations.NullMarked;
