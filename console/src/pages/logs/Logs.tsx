import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { Schemas } from '@prefixcast/client';
import { useRef, useState } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { logFilesQuery, logTailQuery } from '../../service/host.ts';
import { useMay } from '../../service/permissions.ts';
import { columnText } from '../../strings/columns.ts';
import { text } from '../../strings/english.ts';
import { formatBytes } from '../../strings/format.ts';
import { logsText } from '../../strings/host.ts';
import { ConfirmDialog } from '../../views/questions/ConfirmDialog.tsx';
import type { Column } from '../../views/tables/column.ts';
import { RowAction } from '../../views/tables/RowAction.tsx';
import { EmptyWithLink } from '../../views/page/EmptyWithLink.tsx';
import { Lines } from '../../design/shown/Lines.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { List } from '../../views/records/List.tsx';
import { Page } from '../../views/page/Page.tsx';

type LogFile = Schemas['RuntimeLogFile'];

const route = getRouteApi('/logs');

export function Logs() {
  const { file } = route.useSearch();
  return file === undefined ? <Files /> : <Tail key={file} file={file} />;
}

function Files() {
  const [emptying, setEmptying] = useState<LogFile | null>(null);
  const may = useMay();
  const columns: Column<LogFile>[] = [
    {
      name: logsText.file,
      value: ({ name }) => name,
      cell: ({ name }) => (
        <Link to="/logs" search={{ file: name }}>
          <code>{name}</code>
        </Link>
      ),
    },
    {
      ...{ name: logsText.size, isNumber: true },
      value: ({ size }) => size,
      saved: {
        [columnText.inBytes(logsText.size)]: ({ size }) => size,
        [logsText.isLarge]: ({ over_threshold }) => (over_threshold ? text.yes : text.no),
      },
      cell: ({ size, over_threshold }) => (
        <>
          {over_threshold && <Badge tone="warning">{logsText.large}</Badge>} {formatBytes(size)}
        </>
      ),
    },
    {
      name: logsText.changed,
      value: ({ modified_at }) => modified_at,
      cell: ({ modified_at }) => <Time at={modified_at} />,
    },
  ];
  const actions: Column<LogFile> = {
    ...{ name: logsText.truncate, isActions: true, value: () => '' },
    cell: (file) => <RowAction onClick={() => setEmptying(file)}>{logsText.truncate}</RowAction>,
  };
  return (
    <Page title={logsText.title}>
      <List
        query={useQuery(logFilesQuery)}
        caption={logsText.title}
        columns={may('bgp:logs:write') ? [...columns, actions] : columns}
        keyOf={({ name }) => name}
        file="logs"
        empty={
          <EmptyWithLink
            title={logsText.emptyTitle}
            what={logsText.empty}
            to="jobs"
            command={logsText.command}
          />
        }
      />
      {emptying !== null && (
        <ConfirmDialog
          title={logsText.truncateTitle(emptying.name)}
          what={logsText.truncateWhat}
          back={logsText.truncateBack}
          action={logsText.truncate}
          write={{ method: 'DELETE', path: `/v1/runtime-logs/files/${encodeURIComponent(emptying.name)}` }}
          onClose={() => setEmptying(null)}
          onDone={() => setEmptying(null)}
        />
      )}
    </Page>
  );
}

function Tail({ file }: { file: string }) {
  const { grep = '' } = route.useSearch();
  const [typed, setTyped] = useState(grep);
  const field = useRef<HTMLInputElement>(null);
  useShortcut('f', logsText.grep, () => field.current?.focus());
  const navigate = useNavigate();
  return (
    <Page
      title={file}
      heading={<code>{file}</code>}
      actions={
        <>
          <form
            role="search"
            onSubmit={(event) => {
              event.preventDefault();
              void navigate({ to: '/logs', search: typed === '' ? { file } : { file, grep: typed } });
            }}
          >
            <input
              ref={field}
              className="input filter-select mono"
              type="search"
              aria-label={logsText.grep}
              placeholder={logsText.grep}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          </form>
          <Link className="button" to="/logs">
            {logsText.all}
          </Link>
        </>
      }
    >
      <Loaded query={useQuery(logTailQuery(file, grep))}>
        {({ lines, truncated }) =>
          lines.length === 0 ? (
            <p className="muted">{logsText.nothing}</p>
          ) : (
            <>
              <p className="muted">
                {logsText.lines(lines.length)} {truncated && logsText.truncated}
              </p>
              <Lines text={lines.join('\n')} label={file} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
