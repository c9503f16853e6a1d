// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import io.netty.handler.ssl.NotSslRecordException;
import io.rdio.core.Setting;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** What failed in a TLS handshake, in words. Loaded only when something failed. */
public final class TlsErrors {
  /** By what a client knows that a port wants TLS: HTTP/2\'s own name of its error 0xc. */
  public static final String INADEQUATE_SECURITY = "INADEQUATE_SECURITY";

  private static final int CAUSES_MAX = 20;

  private TlsErrors() {}

  /** Whether TLS is what failed, and not the way to the port. */
  public static boolean isTls(@Nullable Throwable error) {
    Throwable cause = error;
    for (int i = 0; i < CAUSES_MAX && cause != null; i++, cause = cause.getCause()) {
      if (cause instanceof SSLException || cause instanceof CertificateException) {
        return true;
      }
    }
    return false;
  }

  /** The innermost cause, and what it mostly means. */
  public static String text(@Nullable Throwable error) {
    Throwable cause = error;
    String inner = "no cause given";
    for (int i = 0; i < CAUSES_MAX && cause != null; i++, cause = cause.getCause()) {
      if (cause instanceof NotSslRecordException) {
        return "the other side speaks no TLS";
      }
      if (cause instanceof ClosedChannelException) {
        return "the other side closed the connection";
      }
      inner = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
    return inner + hint(inner);
  }

  private static String hint(String message) {
    if (message.contains("certificate_required")
        || message.contains("Empty client certificate")
        || message.contains("bad_certificate")) {
      return " (the DataNode wants a client's certificate: " + Setting.CLIENT_TLS + " = mutual)";
    }
    if (message.contains("unable to find valid certification path")
        || message.contains("certificate_unknown")
        || message.contains("unknown_ca")) {
      return " (an authority that is not trusted)";
    }
    if (message.startsWith("No subject alternative") || message.startsWith("No name matching")) {
      return " (the certificate is for another host)";
    }
    return "";
  }
}
