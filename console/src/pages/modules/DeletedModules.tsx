import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Empty } from '../../design/messages/Empty.tsx';
import { useMay } from '../../service/permissions.ts';
import { removedModulesQuery, type RemovedModule } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { removedText } from '../../strings/removed.ts';
import { DataTable, type Column } from '../../views/records/DataTable.tsx';
import { Loaded } from '../../views/Loaded.tsx';
import { removedColumns, restoreColumn } from './removed-columns.tsx';
import { RestoreModule } from './RestoreModule.tsx';

const columns = removedColumns<RemovedModule>();
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
  columns.entries,
  columns.when,
  columns.by,
  columns.until,
];

/** Modules that were deleted, as long as they can come back. */
export function DeletedModules() {
  const may = useMay();
  const [restoring, setRestoring] = useState<RemovedModule | null>(null);
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
              columns={may('bgp:lists:write') ? [...COLUMNS, restoreColumn(setRestoring)] : COLUMNS}
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
