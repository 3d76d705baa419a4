/** What the audit log keeps of a change: which members differ, and never a secret. */

export const MASK = '***';

type Members = Readonly<Record<string, unknown>>;

/** Members whose values nobody may read again, in any depth; also in settings, whose names operators choose. */
const SECRET_NAME =
  /(^|_)(password|passwd|passphrase|secret|token|authorization|credentials?|headers)$|(^|_)(secret|private)_key$/i;
/** An API key or the password of a URL, wherever somebody has written it. */
const API_KEY = /\b(pc_[a-z])_[0-9A-Za-z]{30,}(_[0-9A-Za-z]+)?/g;
const URL_PASSWORD = /(:\/\/[^\s/:@]*):[^\s/@]+@/g;
/** An incoming webhook of Slack's: who knows the URL may write. */
const SLACK_URL = /(:\/\/hooks\.slack\.com\/[a-z]+\/)[^\s"]+/gi;

/** The value without its secrets: what a secret member holds reads as {@link MASK}; whether it holds something stays visible. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (!isMembers(value)) return value;
  const masked = Object.entries(value).map(([name, member]) => [
    maskText(name),
    SECRET_NAME.test(name) ? maskWhole(member) : maskSecrets(member),
  ]);
  return Object.fromEntries(masked) as unknown;
}

/** The members of a body that are secret: an answer never shows them, so the audit log shows by these that they were set. */
export function secretMembers(body: unknown): Members {
  if (!isMembers(body)) return {};
  return Object.fromEntries(Object.entries(body).filter(([name]) => SECRET_NAME.test(name)));
}

function maskWhole(value: unknown): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(maskWhole);
  if (!isMembers(value)) return MASK;
  // The names of headers are shown.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskWhole(member)]));
}

function maskText(text: string): string {
  return text
    .replace(API_KEY, `$1_${MASK}`)
    .replace(URL_PASSWORD, `$1:${MASK}@`)
    .replace(SLACK_URL, `$1${MASK}`);
}

/** The members that changed: of objects within only what changed in them; lists as a whole. */
export function differences(before: Members, after: Members): { before: Members; after: Members } {
  const old: Record<string, unknown> = {};
  const now: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[name], after[name]];
    if (isMembers(was) && isMembers(is)) {
      const inner = differences(was, is);
      if (Object.keys(inner.before).length + Object.keys(inner.after).length === 0) continue;
      old[name] = inner.before;
      now[name] = inner.after;
    } else if (JSON.stringify(was) !== JSON.stringify(is)) {
      if (was !== undefined) old[name] = was;
      if (is !== undefined) now[name] = is;
    }
  }
  return { before: old, after: now };
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
