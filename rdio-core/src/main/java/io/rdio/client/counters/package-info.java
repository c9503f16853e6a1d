// SPDX-License-Identifier: Apache-2.0
/** What one client counts. */
@NullMarked
package io.rdio.client.counters;

import org.jspecify.annotations.NullMarked;
