import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../design/Button.tsx';
import { Empty } from '../../design/Empty.tsx';
import { Time } from '../../design/Time.tsx';
import { useMay } from '../../service/permissions.ts';
import { removedModulesQuery, type RemovedModule } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import { removedText } from '../../strings/removed.ts';
import { DataTable, type Column } from '../../views/records/DataTable.tsx';
import { Loaded } from '../../views/Loaded.tsx';
import { RestoreModule } from './RestoreModule.tsx';

const COLUMNS: readonly Column<RemovedModule>[] = [
  {
    name: removedText.name,
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <Link className="name" to="/modules/$moduleId" params={{ moduleId: id }} title={name}>
        {name}
      </Link>
    ),
  },
  {
    name: removedText.type,
    value: ({ type }) => text.modules.types[type] ?? type,
    cell: ({ type }) => text.modules.types[type] ?? type,
  },
  {
    ...{ name: removedText.entries, isNumber: true },
    value: ({ entry_count }) => entry_count,
    cell: ({ entry_count }) => formatNumber(entry_count),
  },
  {
    name: removedText.when,
    value: ({ removed_at }) => removed_at,
    cell: ({ removed_at }) => <Time at={removed_at} />,
  },
  {
    name: removedText.by,
    value: ({ removed_by }) => removed_by ?? '',
    cell: ({ removed_by }) => <span className="name">{removed_by}</span>,
  },
  {
    name: removedText.until,
    value: ({ kept_until }) => kept_until,
    cell: ({ kept_until }) => <Time at={kept_until} />,
  },
];

/** Modules that were deleted, as long as they can come back. */
export function DeletedModules() {
  const may = useMay();
  const [restoring, setRestoring] = useState<RemovedModule | null>(null);
  const actions: Column<RemovedModule> = {
    ...{ name: removedText.restore, isActions: true, value: () => '' },
    cell: (module) => (
      <span className="row-actions">
        <Button look="quiet" onClick={() => setRestoring(module)}>
          {removedText.restore}
        </Button>
      </span>
    ),
  };
  return (
    <>
      <Loaded query={useQuery(removedModulesQuery)}>
        {(modules) =>
          modules.length === 0 ? (
            <Empty
              title={removedText.emptyTitle}
              what={removedText.emptyWhat}
              command={removedText.emptyCommand}
              action={
                <Link className="button" to="/modules">
                  {text.modules.title}
                </Link>
              }
            />
          ) : (
            <DataTable
              caption={removedText.title}
              columns={may('bgp:lists:write') ? [...COLUMNS, actions] : COLUMNS}
              rows={modules}
              keyOf={({ id }) => id}
              file="deleted-modules"
            />
          )
        }
      </Loaded>
      {restoring !== null && <RestoreModule module={restoring} onClose={() => setRestoring(null)} />}
    </>
  );
}
