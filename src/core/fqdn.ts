/** Fully qualified domain names. */
import { domainToASCII, domainToUnicode } from 'node:url';
import type { Parsed } from './address.ts';

/** RFC 1035 section 2.3.4, in characters and without the final dot. */
const LONGEST_NAME = 253;
const LONGEST_LABEL = 63;

/**
 * Reads a domain name in any case, in Unicode or A-labels (RFC 5890), with or without the final dot. The value is in lower-case A-labels
 * without the final dot, so that a name has one text. Underscores are allowed, since such names resolve.
 */
export function parseFqdn(text: string): Parsed<string> {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  const refuse = (why: string): Parsed<string> => ({ ok: false, reason: `${shown} ${why}` });

  if (text === '')
    return { ok: false, reason: 'The text is empty: write a domain name such as www.example.com' };
  if (text.length > LONGEST_NAME * 4) return refuse(`is longer than ${LONGEST_NAME} characters`);
  if (text.includes('://')) return refuse('is a URL: write the host name alone');
  if (text.includes('*')) return refuse('has a wildcard: write the names it stands for');
  // Programs treat these characters differently, and they are invisible.
  if (/[\p{Default_Ignorable_Code_Point}\s]/u.test(text))
    return refuse('has a blank or an invisible character');
  // Plain ASCII needs no mapping; the function below would, for example, decode percent signs.
  const odd = /[\0-,/:-@[-^`{-\x7f]/.exec(text);
  if (odd !== null) return refuse(`has the character ${JSON.stringify(odd[0])}, which no domain name has`);

  const name = toAscii(text.replace(/[.。．｡]$/u, ''));
  if (name === null) return refuse('is not a valid internationalised name (RFC 5891)');
  if (name.length > LONGEST_NAME) return refuse(`is longer than ${LONGEST_NAME} characters`);

  const labels = name.split('.');
  if (labels.includes('')) return refuse('has an empty label: two dots together, or one in front');
  const long = labels.find((label) => label.length > LONGEST_LABEL);
  if (long !== undefined) return refuse(`has a label longer than ${LONGEST_LABEL} characters`);
  const malformed = labels.find((label) => !/^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(label));
  if (malformed !== undefined) {
    return refuse(
      `has the label "${malformed}": labels are letters, digits and hyphens, no hyphen at either end`,
    );
  }
  if (/^(?:[0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) {
    return refuse('ends in a number, as addresses do: write it as an IP range if that is what it is');
  }
  if (labels.length < 2)
    return refuse('is not fully qualified: write the whole name, such as www.example.com');
  return { ok: true, value: name };
}

/** A-labels in lower case, or null if a label has no A-label or is a false one. */
function toAscii(text: string): string | null {
  // Given the whole name, the function would also change dots and numbers; so it converts one label at a time.
  const labels = text.split(/[.。．｡]/u).map((label) => {
    if (/^[\x20-\x7f]*$/.test(label) && !/^xn--/i.test(label)) return label.toLowerCase();
    const ascii = domainToASCII(`${label}.a`).slice(0, -2);
    if (!ascii.startsWith('xn--')) return /^[a-z0-9_-]+$/.test(ascii) ? ascii : null;
    const unicode = domainToUnicode(`${ascii}.a`).slice(0, -2);
    return unicode !== ascii && domainToASCII(`${unicode}.a`) === `${ascii}.a` ? ascii : null;
  });
  return labels.includes(null) ? null : labels.join('.');
}
