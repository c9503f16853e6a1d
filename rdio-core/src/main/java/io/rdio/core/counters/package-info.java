// SPDX-License-Identifier: Apache-2.0
/** What is counted, without knowing who publishes it. */
@NullMarked
package io.rdio.core.counters;

import org.jspecify.annotations.NullMarked;
