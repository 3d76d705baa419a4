import type { Parsed } from '../../core/address.ts';
import { checkSourceUrl } from '../fetch/source-url.ts';

/** The URL of a resolver. */
export interface DohUrl {
  /** Without the variable of the template. */
  readonly url: URL;
  /** Separates the path from the variable `dns` in a GET. */
  readonly separator: '?' | '&';
}

/** Reads the URI template of a resolver (RFC 8484 section 4.1.1): an https URL that ends in `{?dns}`, `{&dns}` or neither. */
export function checkDohUrl(text: string): Parsed<DohUrl> {
  const template = /^(.*?)(?:\{([?&])dns\})?$/.exec(text);
  const [, plain = text, operator] = template ?? [];
  if (/[{}]/.test(plain))
    return refused('The only variable that the template of a resolver has is {?dns} at its end.');
  const checked = checkSourceUrl(plain);
  if (!checked.ok) return checked;
  const url = checked.value;
  if (url.protocol !== 'https:') return refused('DNS over HTTPS has a URL that begins with https:.');
  const separator = url.search === '' ? '?' : '&';
  if (operator !== undefined && operator !== separator)
    return refused(
      operator === '?'
        ? 'The URL has a query already: write {&dns} at its end.'
        : 'The URL has no query: write {?dns} at its end.',
    );
  return { ok: true, value: { url, separator } };
}

/** Path and query of a request; with `message`, of a GET that carries it (RFC 8484 section 4.1). */
export function dohPath({ url, separator }: DohUrl, message: Buffer | null): string {
  const path = `${url.pathname}${url.search}`;
  return message === null ? path : `${path}${separator}dns=${message.toString('base64url')}`;
}

function refused(reason: string): Parsed<DohUrl> {
  return { ok: false, reason };
}
