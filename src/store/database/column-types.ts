import pg from 'pg';

const { builtins } = pg.types;
/** Of bigint[] (pg_type.dat), which the driver has no name for. */
const INT8_ARRAY = 1016;
const readTexts = pg.types.getTypeParser(INT8_ARRAY as typeof builtins.INT8, 'text') as unknown as (
  text: string,
) => string[];

/** How columns become values where the driver's own choice does not suit the API. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, readInteger],
  [INT8_ARRAY, (text) => readTexts(text).map(readInteger)],
  [builtins.TIMESTAMPTZ, readTime],
]);

export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return (PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format)) as (value: string) => unknown;
  },
};

function readInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number`);
  return value;
}

/** RFC 3339 with milliseconds; sessions run in UTC, so the text needs little more than its punctuation changed. */
function readTime(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?\+00$/.exec(text);
  if (match === null) return new Date(text).toISOString();
  return `${match[1]}T${match[2]}.${(match[3] ?? '').padEnd(3, '0')}Z`;
}

/** The last millisecond of the year 9999. */
const LATEST = 253_402_300_799_999;

/**
 * A time of RFC 3339 as the server takes it, which knows neither the year 0 nor every offset. What lies outside 1970 to 9999
 * becomes the nearest moment inside, a leap second the second before it.
 */
export function writeTime(text: string): string {
  const milliseconds = Date.parse(text.toUpperCase().replace(/:60(?=[.Z+-])/, ':59'));
  return new Date(Math.min(Math.max(milliseconds, 0), LATEST)).toISOString();
}
