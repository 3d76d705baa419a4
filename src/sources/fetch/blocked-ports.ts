/**
 * Ports of other protocols, at which no list and no receiver is. A connection alone does harm at some of them: a BIRD takes one from the
 * address of its neighbour for the neighbour that has restarted, drops the session that it has, and its routes with it.
 */

/** Those that browsers block too: the Fetch Standard, section 2.9 (port blocking), but for 1, 7 and 9, where no harm can be done. */
const BLOCKED: ReadonlySet<number> = new Set([
  ...[0, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104],
  ...[
    109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  ],
  ...[526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049],
  ...[3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

const BGP = 179;

/**
 * Why nothing is fetched from the port, or null.
 * @param port as in a URL: empty is the port of its scheme
 */
export function portRefusal(port: string | null | undefined): string | null {
  if (port === null || port === undefined || port === '' || !BLOCKED.has(Number(port))) return null;
  const whose = Number(port) === BGP ? 'the port of BGP' : 'a port of another protocol';
  return `The URL has port ${port}, ${whose}, where no list is. Use the port of a web server.`;
}
