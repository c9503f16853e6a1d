// SPDX-License-Identifier: Apache-2.0
/** Which way a read takes where both are open: to the device, or by a DataNode. */
@NullMarked
package io.rdio.client.route;

import org.jspecify.annotations.NullMarked;
