const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: nothing listens there, or it does not know this speaker',
  ECONNRESET: 'the peer reset the connection',
  EPIPE: 'the peer closed the connection',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  EADDRNOTAVAIL: 'the local address is not on this machine',
  EADDRINUSE: 'the address is in use by another program',
  EACCES: 'the port is privileged: use one above 1023, or give the program the right to bind it',
};

/** A socket's error in words. */
export function socketReason(error: NodeJS.ErrnoException): string {
  return REASONS[error.code ?? ''] ?? error.message;
}
