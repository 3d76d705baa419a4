/** Numbers, dates and plurals as `Intl` writes them in English. */
const LOCALE = 'en-GB';

/** When it is used first: all of them together take the browser as long as a tenth of the first page. */
function made<T>(make: () => T): () => T {
  let one: T | undefined;
  return () => (one ??= make());
}

const numberFormat = made(() => new Intl.NumberFormat(LOCALE));
const signedFormat = made(() => new Intl.NumberFormat(LOCALE, { signDisplay: 'exceptZero' }));
const pluralRules = made(() => new Intl.PluralRules(LOCALE));
const listFormat = made(() => new Intl.ListFormat(LOCALE));
const dateTimeFormat = made(
  () => new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'long' }),
);
const hourFormat = made(() => new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' }));
const relativeFormat = made(() => new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto', style: 'short' }));
const collator = made(() => new Intl.Collator());

export const formatNumber = (value: number | bigint): string => numberFormat().format(value);
/** With its sign; zero has none. */
export const formatSigned = (value: number): string => signedFormat().format(value);
export const formatList = (items: readonly string[]): string => listFormat().format(items);
export const formatDateTime = (time: string | number): string => dateTimeFormat().format(new Date(time));
const secondsFormat = made(() => new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium' }));
const daySecondsFormat = made(
  () => new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'medium' }),
);
/** By the clock of whoever looks: `21:04:05`, and of another day with its date. @param now milliseconds since 1970 */
export function formatMoment(time: string, now: number): string {
  const at = new Date(time);
  const isToday = at.toDateString() === new Date(now).toDateString();
  return (isToday ? secondsFormat() : daySecondsFormat()).format(at);
}
/** The hour of a moment, where there is no room for its day. */
export const formatHour = (time: string): string => hourFormat().format(new Date(time));
/** As people order texts, and many times faster than `localeCompare`. */
export const compareTexts = (one: string, other: string): number => collator().compare(one, other);

/** `1 route`, `2,000 routes`. */
export function count(value: number, one: string, other = `${one}s`): string {
  return `${formatNumber(value)} ${pluralRules().select(value) === 'one' ? one : other}`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `3 hr ago`, `in 2 min`. @param now milliseconds since 1970 */
export function formatRelative(time: string, now: number): string {
  const seconds = Math.round((Date.parse(time) - now) / 1_000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? UNITS[3];
  return relativeFormat().format(Math.trunc(seconds / size), unit);
}

/** `1:05` for 65 seconds, `1:30:00` for 90 minutes. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const parts = [...(hours > 0 ? [hours] : []), minutes, whole % 60];
  return parts.map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

const twoDigits = made(() => new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 2 }));

/** `84 ms`, `2.6 s`, `1 min 5 s` for 65 seconds, `1 h 30 min` for 90 minutes. */
export function formatDuration(seconds: number): string {
  if (seconds > 0 && seconds < 0.995) return `${twoDigits().format(seconds * 1_000)} ms`;
  if (seconds < 59.5) return `${twoDigits().format(seconds)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const parts = [hours > 0 ? `${formatNumber(hours)} h` : '', minutes > 0 ? `${minutes} min` : ''];
  if (hours === 0 && rest > 0) parts.push(`${rest} s`);
  return parts.filter((part) => part !== '').join(' ');
}

const BYTES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** `3.4 MB`. */
export function formatBytes(bytes: number): string {
  // Their short unit has no plural.
  if (bytes < 1_000) return count(bytes, 'byte');
  const power = Math.min(BYTES.length - 1, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(LOCALE, {
    ...{ style: 'unit', unit: BYTES[power], unitDisplay: 'short', maximumFractionDigits: 1 },
  }).format(bytes / 1_000 ** power);
}

const percentFormat = made(
  () => new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 }),
);
/** @param share from 0 to 1 */
export const formatShare = (share: number): string => percentFormat().format(share);

/** A name as one word of a shell, whatever is in it: a command that is copied runs nothing of it. */
export function shellWord(name: string): string {
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}
