import type { Parsed } from '../../core/address.ts';

/** Headers that depend on the connection, the address or the decoding are set by us. */
const OURS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'keep-alive',
  'proxy-connection',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers without secrets. All others stay with the origin for which they were configured. */
const HARMLESS = new Set(['accept', 'accept-language', 'user-agent']);

/** Whether the headers can be sent with every request to a source. Values never appear in the reason. */
export function checkSourceHeaders(headers: Readonly<Record<string, string>>): Parsed<null> {
  for (const [name, value] of Object.entries(headers)) {
    const shown = JSON.stringify(name.slice(0, 80));
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      return { ok: false, reason: `The header ${shown} has a character that names of headers cannot have.` };
    if (OURS.has(name.toLowerCase()))
      return { ok: false, reason: `The header ${shown} is set by the service itself: leave it out.` };
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      return {
        ok: false,
        reason: `The value of the header ${shown} has a line end or a character beyond Latin-1.`,
      };
  }
  return { ok: true, value: null };
}

/** What is wrong with each header, by its name; null values are headers that a change removes. */
export function findHeaderFaults(
  headers: Readonly<Record<string, string | null>>,
  check: (name: string, value: string) => Parsed<unknown> = (name, value) =>
    checkSourceHeaders({ [name]: value }),
): (readonly [name: string, reason: string])[] {
  const names = Object.keys(headers);
  return Object.entries(headers).flatMap(([name, value], index) => {
    const earlier = names.slice(0, index).find((other) => other.toLowerCase() === name.toLowerCase());
    if (earlier !== undefined)
      return [
        [
          name,
          `The header is there already as ${earlier}: names of headers have no case. Leave one out.`,
        ] as const,
      ];
    const checked = value === null ? null : check(name, value);
    return checked === null || checked.ok ? [] : [[name, checked.reason] as const];
  });
}

/** The source's own headers that may be sent to another origin. */
export function headersForOthers(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.has(name.toLowerCase())));
}
