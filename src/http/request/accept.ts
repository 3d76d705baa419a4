/** Chooses what to answer with from the `Accept` header (RFC 9110, section 12.5.1). */

interface Range {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
}

function parseRanges(header: string): Range[] {
  return header.split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const [type = '', subtype = ''] = range.split('/');
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return type === '' ? [] : [{ type, subtype, quality: Number(quality) || 0 }];
  });
}

/** The more of the media type a range spells out, the more it counts. */
function specificity(range: Range, mediaType: string): number {
  const [type, subtype] = mediaType.split('/');
  if (range.type === type && range.subtype === subtype) return 3;
  if (range.type === type && range.subtype === '*') return 2;
  return range.type === '*' && range.subtype === '*' ? 1 : 0;
}

/** The best of `offered` (the server's order of preference), or null when the client takes none of them. */
export function negotiate(accept: string | undefined, offered: readonly string[]): string | null {
  if (accept === undefined || accept.trim() === '') return offered[0] ?? null;
  const ranges = parseRanges(accept);
  let best: { mediaType: string; quality: number } | null = null;
  for (const mediaType of offered) {
    const [match] = ranges
      .filter((range) => specificity(range, mediaType) > 0)
      .sort((a, b) => specificity(b, mediaType) - specificity(a, mediaType));
    if (match !== undefined && match.quality > (best?.quality ?? 0))
      best = { mediaType, quality: match.quality };
  }
  return best?.mediaType ?? null;
}
