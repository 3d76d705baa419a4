/** Numbers, dates and plurals as `Intl` writes them in English. */
const LOCALE = 'en-GB';

const NUMBER = new Intl.NumberFormat(LOCALE);
const SIGNED = new Intl.NumberFormat(LOCALE, { signDisplay: 'exceptZero' });
const PLURAL = new Intl.PluralRules(LOCALE);
const LIST = new Intl.ListFormat(LOCALE);
const DATE_TIME = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'long' });
const HOUR = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' });
const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto', style: 'short' });

export const formatNumber = (value: number): string => NUMBER.format(value);
/** With its sign; zero has none. */
export const formatSigned = (value: number): string => SIGNED.format(value);
export const formatList = (items: readonly string[]): string => LIST.format(items);
export const formatDateTime = (time: string | number): string => DATE_TIME.format(new Date(time));
/** The hour of a moment, where there is no room for its day. */
export const formatHour = (time: string): string => HOUR.format(new Date(time));

/** `1 route`, `2,000 routes`. */
export function count(value: number, one: string, other = `${one}s`): string {
  return `${formatNumber(value)} ${PLURAL.select(value) === 'one' ? one : other}`;
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
  return RELATIVE.format(Math.trunc(seconds / size), unit);
}

/** `1:05` for 65 seconds, `1:30:00` for 90 minutes. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const parts = [...(hours > 0 ? [hours] : []), minutes, whole % 60];
  return parts.map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

const shortUnit = (unit: string) =>
  new Intl.NumberFormat(LOCALE, {
    ...{ style: 'unit', unit, unitDisplay: 'short', maximumSignificantDigits: 2 },
  });
const MILLISECONDS = shortUnit('millisecond');
const SECONDS = shortUnit('second');

/** `84 ms`, `12 secs`, and `1:05` for 65 seconds. */
export function formatDuration(seconds: number): string {
  if (seconds >= 59.5) return formatSeconds(seconds);
  return seconds > 0 && seconds < 0.995 ? MILLISECONDS.format(seconds * 1_000) : SECONDS.format(seconds);
}

const BYTES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** `3.4 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(BYTES.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(LOCALE, {
    ...{ style: 'unit', unit: BYTES[power], unitDisplay: 'short', maximumFractionDigits: 1 },
  }).format(bytes / 1_000 ** power);
}

const PERCENT = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });
/** @param share from 0 to 1 */
export const formatShare = (share: number): string => PERCENT.format(share);
