// SPDX-License-Identifier: Apache-2.0
/** What is counted, without knowing who publishes it. */
package io.rdio.core.counters;
