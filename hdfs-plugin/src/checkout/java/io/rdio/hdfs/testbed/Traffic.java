// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Bytes that the links carried towards the reader, headers included: so far, or between two times.
 *
 * @param storageToDataNode the DataNode's storage link
 * @param dataNodeToClient the compute link: block data, the NameNode's answers and the metadata
 *     plane's
 * @param storageToClient the client's storage link
 */
record Traffic(long storageToDataNode, long dataNodeToClient, long storageToClient) {
  /** The DataNode's interface to the storage node; the fabric script names them. */
  private static final String DATANODE_STORAGE = "ds";

  private static final String CLIENT_COMPUTE = "cd";
  private static final String CLIENT_STORAGE = "cs";

  /**
   * What has been received so far.
   *
   * @param dataNodePid a process on the DataNode's host
   * @param clientPid a process on the client's host
   */
  static Traffic soFar(long dataNodePid, long clientPid) throws IOException {
    NetDev client = NetDev.of(clientPid);
    return new Traffic(
        NetDev.of(dataNodePid).link(DATANODE_STORAGE).received(),
        client.link(CLIENT_COMPUTE).received(),
        client.link(CLIENT_STORAGE).received());
  }

  Traffic since(Traffic earlier) {
    return new Traffic(
        storageToDataNode - earlier.storageToDataNode,
        dataNodeToClient - earlier.dataNodeToClient,
        storageToClient - earlier.storageToClient);
  }

  /** Over all links. */
  long total() {
    return storageToDataNode + dataNodeToClient + storageToClient;
  }

  /** For each of so many bytes read; the names are those of the JSON. */
  Map<String, Double> perByte(long bytes) {
    Map<String, Double> fields = new LinkedHashMap<>();
    fields.put("storage_to_datanode", (double) storageToDataNode / bytes);
    fields.put("datanode_to_client", (double) dataNodeToClient / bytes);
    fields.put("storage_to_client", (double) storageToClient / bytes);
    fields.put("total", (double) total() / bytes);
    return fields;
  }
}
