import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../service/permissions.ts';
import { removedModulesQuery, type RemovedModule } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatDateTime } from '../../strings/format.ts';
import { removedText } from '../../strings/removed.ts';
import type { Column } from '../../views/tables/column.ts';
import { EmptyWithLink } from '../../views/page/EmptyWithLink.tsx';
import { List } from '../../views/records/List.tsx';
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
      <List
        query={useQuery(removedModulesQuery)}
        caption={removedText.title}
        columns={may('bgp:lists:write') ? [...COLUMNS, restoreColumn(setRestoring)] : COLUMNS}
        keyOf={({ id }) => id}
        nameOf={({ name, removed_at: at }) => `${name}, ${formatDateTime(at)}`}
        file="deleted-modules"
        empty={
          <EmptyWithLink
            title={removedText.emptyTitle}
            what={removedText.emptyWhat}
            command={removedText.emptyCommand}
            to="modules"
          />
        }
      />
      {restoring !== null && <RestoreModule module={restoring} onClose={() => setRestoring(null)} />}
    </>
  );
}
