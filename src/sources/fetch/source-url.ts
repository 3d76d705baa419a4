import type { Parsed } from '../../core/address.ts';
import { portRefusal } from './blocked-ports.ts';

const MAX_URL_LENGTH = 2048;

/** Reads the URL of a source: http or https, without user and password. The fragment is dropped. */
export function checkSourceUrl(text: string): Parsed<URL> {
  if (text.length > MAX_URL_LENGTH) return refused(`The URL is longer than ${MAX_URL_LENGTH} characters.`);
  // The URL standard would remove these silently, and the fetched URL would differ from the shown one.
  if (/[\s\p{Cc}]/u.test(text))
    return refused('The URL has a blank or a control character: write it as %20.');
  const url = URL.parse(text);
  if (url === null)
    return refused('It is not a URL: write it in full, such as https://example.com/list.txt.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refused(`The URL begins with ${url.protocol}; sources are read over https: or http: only.`);
  if (url.username !== '' || url.password !== '')
    return refused('The URL has a user or a password in it: put them into a header (Authorization) instead.');
  const port = portRefusal(url.port);
  if (port !== null) return refused(port);
  url.hash = '';
  return { ok: true, value: url };
}

/** The URL for messages and logs, without its query, which often contains a token. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}

function refused(reason: string): Parsed<URL> {
  return { ok: false, reason };
}
