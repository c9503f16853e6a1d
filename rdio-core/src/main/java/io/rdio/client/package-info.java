// SPDX-License-Identifier: Apache-2.0
/** Who reads: what its packages must agree on. */
package io.rdio.client;
