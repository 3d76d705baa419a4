import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { Badge } from '../../design/shown/Badge.tsx';
import { Empty } from '../../design/messages/Empty.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { useMay } from '../../service/permissions.ts';
import { hasNoNode } from '../../../../src/api/activity/no-node.ts';
import { speakersQuery, type Speaker } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import { nodeText, speakersText } from '../../strings/speakers.ts';
import { List } from '../../views/records/List.tsx';
import { Page } from '../../views/page/Page.tsx';
import type { Column } from '../../views/tables/column.ts';
import { SpeakerLink } from '../../views/resources/ResourceLink.tsx';
import { useResourceNames, type Resource } from '../../views/resources/resource-names.ts';
import { RevisionLink } from '../../views/resources/RevisionLink.tsx';
import { speakerState } from './speaker-state.ts';

const columnsOf = (nameOf: (revision: Resource) => string): readonly Column<Speaker>[] => [
  {
    name: speakersText.name,
    value: ({ name }) => name,
    cell: ({ id, name }) => <SpeakerLink id={id} name={name} />,
  },
  {
    name: text.sessions.state,
    value: (speaker) => speakerState(speaker).word,
    cell: (speaker) => <Badge tone={speakerState(speaker).tone}>{speakerState(speaker).word}</Badge>,
  },
  {
    name: speakersText.daemon,
    value: (speaker) => daemonOf(speaker),
    cell: (speaker) => daemonOf(speaker),
  },
  {
    ...{ name: speakersText.asn, isNumber: true },
    value: ({ local_asn }) => local_asn,
    cell: ({ local_asn }) => local_asn,
  },
  {
    ...{ name: text.overview.sessions, isNumber: true },
    value: (speaker) => sessionsOf(speaker),
    cell: (speaker) => sessionsOf(speaker),
  },
  {
    name: speakersText.runs,
    value: ({ applied_at }) => applied_at ?? '',
    saved: {
      [speakersText.runs]: ({ applied_revision_id: id }) =>
        id === null ? text.none : nameOf({ type: 'revision', id }),
    },
    cell: ({ applied_revision_id: id }) => (id === null ? text.none : <RevisionLink id={id} />),
  },
  {
    name: speakersText.lastApply,
    value: ({ last_apply }) => (last_apply === null ? '' : speakersText.applyStates[last_apply.status]),
    cell: ({ last_apply }) =>
      last_apply !== null && (
        <span className="name" title={last_apply.error ?? undefined}>
          {speakersText.applyStates[last_apply.status]}
        </span>
      ),
  },
  {
    name: speakersText.seen,
    value: ({ agent }) => agent?.last_seen_at ?? '',
    cell: ({ agent }) => typeof agent?.last_seen_at === 'string' && <Time at={agent.last_seen_at} />,
  },
];

export function Speakers() {
  const { nameOf } = useResourceNames();
  const may = useMay();
  const navigate = useNavigate();
  const mayEnroll = may('bgp:speakers:write');
  useShortcut('n', nodeText.title, mayEnroll ? () => void navigate({ to: '/nodes/new' }) : null);
  const enrolling = mayEnroll && (
    <Link className="button" to="/nodes/new">
      {nodeText.title}
    </Link>
  );
  return (
    <Page title={speakersText.title} actions={enrolling}>
      <List
        query={useQuery(speakersQuery)}
        caption={speakersText.title}
        columns={columnsOf(nameOf)}
        keyOf={({ id }) => id}
        file="speakers"
        empty={
          <Empty
            title={speakersText.emptyTitle}
            what={speakersText.empty}
            action={enrolling}
            command={speakersText.command}
          />
        }
      />
    </Page>
  );
}

function daemonOf({ daemon, mode }: Speaker): string {
  return `${daemon}, ${mode === 'agent' ? speakersText.agent : speakersText.local}`;
}

/** One that is off has none; of one that nobody reaches, they are not known. */
function sessionsOf(speaker: Speaker): string {
  const { live } = speaker;
  if (!speaker.enabled || hasNoNode(speaker)) return formatNumber(0);
  if (live?.reachable !== true) return speakersText.unknown;
  const up = live.sessions.filter(({ state }) => state === 'established').length;
  return live.sessions.length === 0 ? formatNumber(0) : text.overview.ofAll(up, live.sessions.length);
}
