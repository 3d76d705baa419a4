/** Routes that a peer with a session is not sent: how sessions say so, and how it is told from what ended a session once. */
const NOT_SENT = 'routes are not sent';
const NAMES = { ipv4: 'IPv4', ipv6: 'IPv6' } as const;

/** The beginning of a sentence: `2107 IPv6 routes are not sent`. */
export function unsentRoutes(count: number, family: keyof typeof NAMES): string {
  return `${count} ${NAMES[family]} ${NOT_SENT}`;
}

export function saysUnsent(error: string | null): boolean {
  return error?.includes(NOT_SENT) === true;
}
