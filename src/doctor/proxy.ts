import { type Check, fault, ok, skipped, warning } from './finding.ts';

const NAME = 'proxy';
/** The stream says something at once, and a proxy that holds it back says nothing for ever. */
const TIMEOUT_MS = 5_000;

export const PROXY: Check = {
  name: NAME,
  async examine({ config, api, apiKey }) {
    const { publicUrl } = config.http;
    if (publicUrl === null) return [skipped(NAME, 'APP_PUBLIC_URL is not set')];
    if (api === null) return [skipped(NAME, 'the service does not run')];
    if (apiKey === null) return [skipped(NAME, 'no key is known: set PREFIXCAST_KEY')];
    const direct = await firstEvent(api, apiKey);
    if (direct !== null) return [skipped(NAME, `the service itself sends no events: ${direct}`)];
    const found = await firstEvent(publicUrl, apiKey);
    if (found === null) return [ok(NAME, `events arrive through ${publicUrl} at once`)];
    if (found === 'late')
      return [
        fault(
          NAME,
          `events do not arrive through ${publicUrl} within ${TIMEOUT_MS / 1_000} s: a proxy holds them back`,
          'Turn its buffering off for /v1/events and other text/event-stream answers: proxy_buffering off in nginx, flush_interval -1 in Caddy.',
        ),
      ];
    return [
      warning(
        NAME,
        `${publicUrl} cannot be used from here: ${found}`,
        'Look at the proxy, or at APP_PUBLIC_URL; from outside it may be different.',
      ),
    ];
  },
};

/** Why no event came; `late`: nothing else is wrong; null: one came. */
async function firstEvent(url: string, key: string): Promise<string | null> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await fetch(`${url}/v1/events`, {
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
      signal: late,
    });
    if (!answer.ok) return `it answers ${answer.status}`;
    const reader = answer.body!.getReader();
    const { done } = await reader.read();
    await reader.cancel();
    return done ? 'the stream ends at once' : null;
  } catch (error) {
    if (late.aborted) return 'late';
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}
