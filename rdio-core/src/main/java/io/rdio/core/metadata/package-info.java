// SPDX-License-Identifier: Apache-2.0
/** The metadata plane on the wire: gRPC server and client. */
@NullMarked
package io.rdio.core.metadata;

import org.jspecify.annotations.NullMarked;
