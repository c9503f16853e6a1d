// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.tls;

import java.time.Duration;

/**
 * How one side of the metadata plane uses TLS.
 *
 * @param mode not {@link TlsMode#OFF}: where TLS is off there are no such settings
 * @param keys what the mode needs of them is there
 * @param reloadInterval how often to look whether their files changed
 */
public record TlsSettings(TlsMode mode, KeySource keys, Duration reloadInterval) {}
