// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.rdio.core.Setting;
import io.rdio.core.wire.TlsErrors;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Looks at the first byte of a connection, before TLS does: a client that speaks plain text to a
 * port with TLS is told so in its own language, with a GOAWAY frame (RFC 9113, 6.8); the reverse is
 * noted and left to gRPC, whose first frame tells the client. Counts handshakes that fail. One for
 * each connection, for Netty's thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails here has closed the connection already
final class TransportCheck extends ChannelInboundHandlerAdapter {
  /** HTTP/2's error that {@link TlsErrors#INADEQUATE_SECURITY} is the name of. */
  private static final int INADEQUATE_SECURITY_CODE = 0xc;

  private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};
  private static final byte GOAWAY = 7;
  private static final int TLS_HANDSHAKE = 0x16;
  private static final int SECONDS_TO_LISTEN = 2;
  private static final byte[] TLS_WANTED =
      ("this DataNode's RDIO port takes TLS only; set " + Setting.CLIENT_TLS)
          .getBytes(StandardCharsets.US_ASCII);

  private final Handshakes handshakes;
  private final boolean tls;
  private boolean looked;
  private boolean refused;

  /**
   * @param tls whether the port wants it
   */
  TransportCheck(Handshakes handshakes, boolean tls) {
    this.handshakes = handshakes;
    this.tls = tls;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    String address = address(context);
    if (tls && !handshakes.begin(address)) {
      context.close();
      return;
    }
    context.fireChannelActive(); // by which gRPC adds TLS's handler
    SslHandler handler = tls ? context.pipeline().get(SslHandler.class) : null;
    if (handler != null) {
      handler.handshakeFuture().addListener(done -> handshakeEnded(address, done));
    } else if (tls) {
      handshakes.ended(address);
    }
  }

  private void handshakeEnded(String address, Future<?> handshake) {
    handshakes.ended(address);
    if (!handshake.isSuccess() && !refused) {
      handshakes.failed(address, "TLS handshake failed: " + TlsErrors.text(handshake.cause()));
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (refused) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (!looked && message instanceof ByteBuf bytes && bytes.isReadable()) {
      looked = true;
      boolean speaksTls = bytes.getUnsignedByte(bytes.readerIndex()) == TLS_HANDSHAKE;
      if (tls && !speaksTls) {
        refused = true;
        bytes.release();
        refusePlainText(context);
        return;
      }
      if (!tls && speaksTls) {
        handshakes.failed(
            address(context),
            "it speaks TLS, and this port does not; set "
                + Setting.DATANODE_TLS
                + ", or "
                + Setting.CLIENT_TLS
                + " to off there");
      }
    }
    context.fireChannelRead(message);
  }

  private void refusePlainText(ChannelHandlerContext context) {
    handshakes.failed(
        address(context),
        "it speaks plain text, and this port TLS only; set " + Setting.CLIENT_TLS);
    ByteBuf answer = Unpooled.buffer();
    answer.writeBytes(SETTINGS);
    answer.writeMedium(8 + TLS_WANTED.length).writeByte(GOAWAY).writeByte(0).writeInt(0);
    answer.writeInt(0).writeInt(INADEQUATE_SECURITY_CODE).writeBytes(TLS_WANTED);
    context
        .writeAndFlush(answer)
        .addListener(
            written -> {
              // A close with bytes unread would be a reset, by which the answer could get lost.
              if (context.channel() instanceof SocketChannel socket) {
                socket.shutdownOutput();
              }
            });
    Channel channel = context.channel();
    channel.eventLoop().schedule(() -> channel.close(), SECONDS_TO_LISTEN, TimeUnit.SECONDS);
  }

  private static String address(ChannelHandlerContext context) {
    return ClientAddress.of(context.channel().remoteAddress());
  }
}
