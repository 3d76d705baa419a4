import { SourceError } from '../source-error.ts';

/** The error for an answer that is neither the list, nor "not modified", nor a redirect. `retryAfter` is the header's value. */
export function statusError(httpStatus: number, retryAfter: string | null): SourceError {
  if (httpStatus === 204 || httpStatus === 205)
    return new SourceError(
      'source_empty',
      `answered ${httpStatus}, which means that it has no list to give.`,
      {
        httpStatus,
      },
    );
  return new SourceError(
    'source_http_status',
    `answered HTTP ${httpStatus}. ${remedy(httpStatus, retryAfter)}`,
    {
      httpStatus,
      retryAfterMs: waitOf(retryAfter),
    },
  );
}

/** Seconds, or a date (RFC 9110 section 10.2.3). */
export function waitOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d{1,6}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

function remedy(httpStatus: number, retryAfter: string | null): string {
  if (httpStatus === 401 || httpStatus === 403)
    return 'Check the headers of the source: it may want a token.';
  if (httpStatus === 404 || httpStatus === 410) return 'The list is not there (any more): check the URL.';
  if (httpStatus === 429) {
    const wait =
      retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? ` It asks to wait ${retryAfter} s.` : '';
    return `It is asked too often: refresh less often.${wait}`;
  }
  if (httpStatus >= 500) return 'The fault is at the source; the next refresh tries again.';
  if (httpStatus === 304)
    return 'It says that its list has not changed, to a request that did not ask that: the source, or a cache in front of it, is at fault.';
  if (httpStatus >= 300 && httpStatus < 400) return 'It redirects without a Location: check the URL.';
  return 'Only 200 brings a list: check URL and headers.';
}
