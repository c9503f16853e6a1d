// SPDX-License-Identifier: Apache-2.0
/** TLS for the metadata plane: key material from files, renewed when the files change. */
@NullMarked
package io.rdio.core.tls;

import org.jspecify.annotations.NullMarked;
