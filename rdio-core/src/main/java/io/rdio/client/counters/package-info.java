// SPDX-License-Identifier: Apache-2.0
/** What one client counts. */
package io.rdio.client.counters;
