// SPDX-License-Identifier: Apache-2.0
/** How reads are spread over what there is. */
@NullMarked
package io.rdio.bench.workload;

import org.jspecify.annotations.NullMarked;
