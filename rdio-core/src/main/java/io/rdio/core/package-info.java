// SPDX-License-Identifier: Apache-2.0
/** RDIO without Hadoop: what a file map is, who grants it, who caches it and how it is read. */
package io.rdio.core;
