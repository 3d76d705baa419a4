/** Columns that many tables have. */
import type { Schemas } from '@prefixcast/client';
import { Time } from '../../design/shown/Time.tsx';
import { text } from '../../strings/english.ts';
import { formatBytes, formatDuration } from '../../strings/format.ts';
import { columnText } from '../../strings/columns.ts';
import { FamilyCounts } from '../difference/Counts.tsx';
import type { Column } from './column.ts';

/** When something was, or will be. @param none where it was not, or will not be */
export function timeColumn<Row>(
  name: string,
  at: (row: Row) => string | null,
  none: string = text.never,
): Column<Row> {
  return {
    name,
    value: (row) => at(row) ?? '',
    saved: { [name]: (row) => at(row) ?? none },
    cell: (row) => {
      const time = at(row);
      return time === null ? <span className="muted">{none}</span> : <Time at={time} />;
    },
  };
}

type Counts = Schemas['PrefixCount'];

/** Prefixes of both families. @param counts null: there is nothing to count */
export function prefixColumn<Row>(name: string, counts: (row: Row) => Counts | null): Column<Row> {
  const of = (family: keyof Counts) => (row: Row) => counts(row)?.[family] ?? '';
  return {
    ...{ name, isNumber: true },
    value: (row) => Object.values(counts(row) ?? {}).reduce((sum, one) => sum + one, 0),
    saved: {
      [columnText.ofFamily(name, text.families.ipv4)]: of('ipv4'),
      [columnText.ofFamily(name, text.families.ipv6)]: of('ipv6'),
    },
    cell: (row) => {
      const counted = counts(row);
      return counted !== null && <FamilyCounts counts={counted} />;
    },
  };
}

/** How long something took. @param seconds null: it has not begun, or not ended */
export function durationColumn<Row>(name: string, seconds: (row: Row) => number | null): Column<Row> {
  return {
    ...{ name, isNumber: true },
    value: (row) => seconds(row) ?? -1,
    saved: { [columnText.inSeconds(name)]: (row) => seconds(row) ?? '' },
    cell: (row) => {
      const took = seconds(row);
      return took === null ? '' : formatDuration(took);
    },
  };
}

/** @param bytes null: nobody knows */
export function bytesColumn<Row>(name: string, bytes: (row: Row) => number | null): Column<Row> {
  return {
    ...{ name, isNumber: true },
    value: (row) => bytes(row) ?? -1,
    saved: { [columnText.inBytes(name)]: (row) => bytes(row) ?? '' },
    cell: (row) => {
      const size = bytes(row);
      return size === null ? '' : formatBytes(size);
    },
  };
}

/** How many of how many, as `1 of 3`. @param counts null: nobody knows */
export function partColumn<Row>(
  name: string,
  counts: (row: Row) => { readonly have: number; readonly all: number } | null,
): Column<Row> {
  const said = (row: Row): string => {
    const counted = counts(row);
    return counted === null ? '' : text.overview.ofAll(counted.have, counted.all);
  };
  return {
    ...{ name, isNumber: true },
    value: (row) => counts(row)?.have ?? -1,
    saved: { [name]: said },
    cell: said,
  };
}
