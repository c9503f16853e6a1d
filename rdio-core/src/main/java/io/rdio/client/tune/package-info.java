// SPDX-License-Identifier: Apache-2.0
/** How many windows of which size a device is fastest with, found out by reading it. */
@NullMarked
package io.rdio.client.tune;

import org.jspecify.annotations.NullMarked;
