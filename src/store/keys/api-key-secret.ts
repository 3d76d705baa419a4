import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Role } from '../../api/access/permissions.ts';

/** What a secret of this form is for: the role of a key, or what a token gives access to. */
export type SecretKind = Role | 'enrollment' | 'feed' | 'browser_session' | 'sign_in' | 'webhook';

/**
 * The text of an API key: `pc_<role letter>_<256 random bits>_<checksum>` in base 62. Leak scanners recognise its form, and the checksum
 * reveals a typo without a query. Enrollment tokens of nodes, tokens of feeds, of browser sessions and of sign-in links, and secrets of
 * webhooks have the same form.
 */
const LETTERS: Readonly<Record<SecretKind, string>> = {
  viewer: 'v',
  operator: 'o',
  node: 'n',
  firewall: 'f',
  super_viewer: 'w',
  super_admin: 's',
  enrollment: 'e',
  feed: 'l',
  browser_session: 'b',
  sign_in: 'i',
  webhook: 'h',
};

/** Kinds that are not API keys. */
const TOKENS = ['enrollment', 'feed', 'browser_session', 'sign_in', 'webhook'] as const;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Digits of base 62 that hold 256 bits, and 32 bits. */
const RANDOM_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const FORM = /^(pc_[vonfwselbih]_[0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;
/** How much of the text is shown to identify a key: 8 digits are 47 bits of 256. */
const PUBLIC_CHARACTERS = 13;

export interface MintedApiKey {
  /** Shown once, never stored. */
  readonly secret: string;
  readonly prefix: string;
  readonly secret_hash: Buffer;
}

export function mintApiKey(kind: SecretKind): MintedApiKey {
  const body = `pc_${LETTERS[kind]}_${toBase62(randomBytes(32), RANDOM_DIGITS)}`;
  return describeApiKey(`${body}_${checksumOf(body)}`);
}

/** What is stored of a key whose text is known. */
export function describeApiKey(secret: string): MintedApiKey {
  return { secret, prefix: secret.slice(0, PUBLIC_CHARACTERS), secret_hash: hashApiKey(secret) };
}

/** SHA-256: 256 random bits need no slow hash. */
export function hashApiKey(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Whether form and checksum are right; the key may not exist. */
export function isApiKeyText(text: string): boolean {
  return isWhole(text) && !TOKENS.some((kind) => text[3] === LETTERS[kind]);
}

/** {@link isApiKeyText} for an enrollment token. */
export function isEnrollmentTokenText(text: string): boolean {
  return isWhole(text) && text[3] === LETTERS.enrollment;
}

/** {@link isApiKeyText} for a feed's token. */
export function isFeedTokenText(text: string): boolean {
  return isWhole(text) && text[3] === LETTERS.feed;
}

/** {@link isApiKeyText} for the token in the cookie of a browser session. */
export function isBrowserSessionText(text: string): boolean {
  return isWhole(text) && text[3] === LETTERS.browser_session;
}

/** {@link isApiKeyText} for the token of a sign-in link. */
export function isSignInText(text: string): boolean {
  return isWhole(text) && text[3] === LETTERS.sign_in;
}

/** The role that a key's text claims; null when the text is not a key. */
export function roleOfApiKey(text: string): Role | null {
  if (!isApiKeyText(text)) return null;
  const role = Object.entries(LETTERS).find(([, letter]) => letter === text[3])?.[0];
  return (role as Role | undefined) ?? null;
}

function isWhole(text: string): boolean {
  const match = FORM.exec(text);
  return match !== null && timingSafeEqual(Buffer.from(checksumOf(match[1]!)), Buffer.from(match[2]!));
}

function checksumOf(body: string): string {
  return toBase62(hash('sha256', `prefixcast:${body}`, 'buffer').subarray(0, 4), CHECKSUM_DIGITS);
}

function toBase62(bytes: Buffer, digits: number): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let i = 0; i < digits; i++) {
    text = ALPHABET[Number(rest % 62n)]! + text;
    rest /= 62n;
  }
  return text;
}
