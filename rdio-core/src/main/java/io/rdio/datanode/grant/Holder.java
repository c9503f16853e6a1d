// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

/**
 * Who holds leases. What it may hold is limited by its address, the one thing here that it does not
 * choose itself.
 *
 * @param clientId the name that the client, one JVM, gives itself
 * @param address that its connection comes from
 */
public record Holder(String clientId, String address) {}
