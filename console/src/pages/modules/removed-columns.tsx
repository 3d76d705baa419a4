/** Columns of what was deleted and can come back, be it modules or entries. */
import { Time } from '../../design/shown/Time.tsx';
import { formatNumber } from '../../strings/format.ts';
import { removedText } from '../../strings/removed.ts';
import type { Column } from '../../views/tables/DataTable.tsx';
import { RowAction } from '../../views/tables/RowAction.tsx';

interface Removed {
  readonly removed_at: string;
  readonly removed_by: string | null;
  readonly entry_count: number;
  readonly kept_until: string;
}

interface RemovedColumns<Row> {
  readonly when: Column<Row>;
  readonly by: Column<Row>;
  readonly entries: Column<Row>;
  readonly until: Column<Row>;
}

export function removedColumns<Row extends Removed>(): RemovedColumns<Row> {
  return {
    when: {
      name: removedText.when,
      value: ({ removed_at }) => removed_at,
      cell: ({ removed_at }) => <Time at={removed_at} />,
    },
    by: {
      name: removedText.by,
      value: ({ removed_by }) => removed_by ?? '',
      cell: ({ removed_by }) => <span className="name">{removed_by}</span>,
    },
    entries: {
      ...{ name: removedText.entries, isNumber: true },
      value: ({ entry_count }) => entry_count,
      cell: ({ entry_count }) => formatNumber(entry_count),
    },
    until: {
      name: removedText.until,
      value: ({ kept_until }) => kept_until,
      cell: ({ kept_until }) => <Time at={kept_until} />,
    },
  };
}

/** @param isThere whether it is deleted no more */
export function restoreColumn<Row>(
  onRestore: (row: Row) => void,
  isThere: (row: Row) => boolean = () => false,
): Column<Row> {
  return {
    ...{ name: removedText.restore, isActions: true, value: () => '' },
    cell: (row) =>
      !isThere(row) && (
        <RowAction data-opens="" onClick={() => onRestore(row)}>
          {removedText.restore}
        </RowAction>
      ),
  };
}
