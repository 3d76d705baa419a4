/** One year, RFC 6797 section 6.1.1. */
const TRANSPORT_SECONDS = 31_536_000;

/**
 * Headers by which browsers treat every answer as data: never as a page, never in a frame, never guessed to be of another type.
 * @param publicUrl where others reach the service; over HTTPS, browsers are instructed to keep using it
 */
export function securityHeaders(publicUrl: string | null): Readonly<Record<string, string>> {
  return {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(publicUrl?.startsWith('https:') === true
      ? { 'strict-transport-security': `max-age=${TRANSPORT_SECONDS}` }
      : {}),
  };
}
