// SPDX-License-Identifier: Apache-2.0
/** Reads by position that go round Hadoop's own, by ways to blocks that a stream keeps. */
package io.rdio.hdfs.client.positional;
