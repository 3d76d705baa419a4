/** How columns are read and written where it is not the same type. Times are RFC 3339 text, 8-byte integers numbers. */
import type { ColumnType } from 'kysely';

export type Time = ColumnType<string, string | Date, string | Date>;
export type DefaultedTime = ColumnType<string, string | Date | undefined, string | Date>;
export type NullableTime = ColumnType<string | null, string | Date | null | undefined, string | Date | null>;

/** Written as JSON text, read as a value. */
export type Json<T> = ColumnType<T, string, string>;
export type DefaultedJson<T> = ColumnType<T, string | undefined, string>;
export type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>;
