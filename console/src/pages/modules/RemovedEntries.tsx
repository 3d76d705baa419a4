import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Empty } from '../../design/messages/Empty.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { useMay } from '../../service/permissions.ts';
import { removedEntriesQuery, type Module } from '../../service/queries.ts';
import { formatDateTime, formatList } from '../../strings/format.ts';
import { removedText } from '../../strings/removed.ts';
import { DataTable, type Column } from '../../views/tables/DataTable.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { PlanDialog } from '../../views/revisions/PlanDialog.ts';
import { removedColumns, restoreColumn } from './removed-columns.tsx';

type Removal = Schemas['RemovedEntries'];

const columns = removedColumns<Removal>();
const COLUMNS: readonly Column<Removal>[] = [
  columns.when,
  columns.by,
  columns.entries,
  {
    name: removedText.names,
    value: ({ names }) => formatList(names),
    cell: ({ names }) => <span className="name">{formatList(names)}</span>,
  },
  columns.until,
  {
    name: removedText.back,
    value: ({ restored_at }) => restored_at ?? '',
    cell: ({ restored_at }) => restored_at !== null && <Time at={restored_at} />,
  },
];

/** What was deleted of a module's entries, each time by itself, as long as it can come back. */
export function RemovedEntries({ module }: { module: Module }) {
  const may = useMay();
  const toast = useToast();
  const [restoring, setRestoring] = useState<Removal | null>(null);
  const actions = restoreColumn<Removal>(setRestoring, ({ restored_at }) => restored_at !== null);
  return (
    <div className="section">
      <Loaded query={useQuery(removedEntriesQuery(module.id))}>
        {(removals) =>
          removals.length === 0 ? (
            <Empty
              title={removedText.nothingTitle}
              what={removedText.nothingWhat}
              action={
                <Link className="button" to="/modules/$moduleId" params={{ moduleId: module.id }}>
                  {removedText.entries}
                </Link>
              }
              command={removedText.nothingCommand(module.name)}
            />
          ) : (
            <DataTable
              caption={removedText.entriesTitle}
              columns={may('bgp:lists:write') ? [...COLUMNS, actions] : COLUMNS}
              rows={removals}
              keyOf={({ id }) => id}
              nameOf={({ names, removed_at: at }) => `${formatList(names)}, ${formatDateTime(at)}`}
              file={`deleted-entries-${module.name}`}
            />
          )
        }
      </Loaded>
      {restoring !== null && (
        <PlanDialog
          title={removedText.restoreEntries(restoring.entry_count)}
          action={removedText.restore}
          writes={[
            {
              ...{ method: 'POST', path: `/v1/modules/${module.id}/entries/restore` },
              body: { batch: restoring.id },
            },
          ]}
          back={null}
          isOpen
          onClose={() => setRestoring(null)}
          onDone={([answer]) => {
            const { restored, already_there, expired } = answer as Schemas['RestoredEntries'];
            setRestoring(null);
            toast(removedText.restoredEntries(restored, already_there, expired));
          }}
        />
      )}
    </div>
  );
}
