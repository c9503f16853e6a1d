// SPDX-License-Identifier: Apache-2.0
/** The metadata plane on the wire: gRPC server and client. */
@NullMarked
package io.rdio.client.plane.grant;

import org.jspecify.annotations.NullMarked;
