/** Answers that are not of the service: while it is away, another program may have taken its port. */

interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/** Of a proxy before a service that is away, or of the service itself as it stops: the client waits for it anyway. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** What answers in place of the service, in words; null: it does. */
export function foreignAnswer({ status, headers }: Answer): string | null {
  if (AWAY.has(status) || isOfService(status, typeOf(headers))) return null;
  const name = headers.get('server');
  return `another program answers there, with ${status}${name === null ? '' : ` (${name})`}`;
}

/** It refuses with problem documents, and has pages for browsers alone, which no command asks for. */
function isOfService(status: number, type: string): boolean {
  return status < 300 ? type !== 'text/html' : type === 'application/problem+json';
}

function typeOf(headers: Answer['headers']): string {
  return (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
}
