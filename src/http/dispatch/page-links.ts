/** Where the other pages of a list are, as links of the answer (RFC 8288): for clients that follow these, and read no body for it. */
import type { Answer } from '../route.ts';

/** @param url of the request, without scheme and host */
export function withLinks(answer: Answer, url: string): Answer {
  const { next_cursor: next } = (answer.body ?? {}) as { readonly next_cursor?: string | null };
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const links: string[] = [];
  const link = (relation: string, cursor: string | null): void => {
    const query = new URLSearchParams(searchParams);
    if (cursor === null) query.delete('cursor');
    else query.set('cursor', cursor);
    const text = query.toString();
    links.push(`<${pathname}${text === '' ? '' : `?${text}`}>; rel="${relation}"`);
  };
  if (typeof next === 'string') link('next', next);
  if (searchParams.has('cursor')) link('first', null);
  if (links.length === 0) return answer;
  return { ...answer, headers: { ...answer.headers, link: links.join(', ') } };
}
