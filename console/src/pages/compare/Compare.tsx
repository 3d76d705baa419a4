import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { useMay } from '../../service/permissions.ts';
import { diffQuery, revisionQuery, type Revision } from '../../service/queries.ts';
import { mapText } from '../../strings/map.ts';
import { text } from '../../strings/english.ts';
import { ApplyDialog } from '../../views/revisions/ApplyDialog.tsx';
import { Difference } from '../../views/difference/Difference.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Page } from '../../views/page/Page.tsx';
import { present } from '../../views/page/present.ts';
import { RevisionState } from '../../views/resources/StateBadges.tsx';
import { CommunityChanges } from './CommunityChanges.tsx';
import { CompareMap } from './CompareMap.tsx';
import './compare.css';

const route = getRouteApi('/compare/$pair');

/** `applied...42`: revisions are named as everywhere in the API. */
export function Compare() {
  const { pair } = route.useParams();
  const [before = 'applied', after = 'latest'] = pair.split('...');
  // They may be pruned while the page is open.
  const first = present(useQuery(revisionQuery(before)));
  const second = present(useQuery(revisionQuery(after)));
  const title = text.compare.title(nameOf(first.data, before), nameOf(second.data, after));
  return (
    <Page
      title={title}
      heading={title}
      actions={
        second.data !== undefined && (
          <Actions before={before} after={second.data} isSame={isSame(first.data, second.data)} />
        )
      }
    >
      <Loaded query={first}>
        {(one) => (
          <Loaded query={second}>
            {(other) => (
              <>
                <Sides before={one} after={other} />
                <Body before={before} after={after} one={one} other={other} />
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

function isSame(one: Revision | undefined, { id, content_hash: hash }: Revision): boolean {
  return one?.id === id || (hash !== null && one?.content_hash === hash);
}

function nameOf(revision: Revision | undefined, name: string): string {
  return revision === undefined ? name : text.revisions.numbered(revision.number);
}

interface ActionsProps {
  readonly before: string;
  readonly after: Revision;
  /** As the other side: nothing of what is compared asks for an apply. */
  readonly isSame: boolean;
}

function Actions({ before, after, isSame }: ActionsProps) {
  const [isAsking, setAsking] = useState(false);
  const may = useMay();
  const navigate = useNavigate();
  const canApply = may('bgp:deploy:write') && after.state === 'ready';
  useShortcut('s', text.compare.swap, () => {
    void navigate({ to: '/compare/$pair', params: { pair: `${after.number}...${before}` } });
  });
  if (!canApply) return null;
  return (
    <>
      <Button look={isSame ? 'plain' : 'primary'} onClick={() => setAsking(true)}>
        {text.compare.applyAfter(after.number)}
      </Button>
      <ApplyDialog revision={after} isOpen={isAsking} onClose={() => setAsking(false)} />
    </>
  );
}

function Sides({ before, after }: { before: Revision; after: Revision }) {
  return (
    <dl className="facts">
      {(
        [
          [text.compare.before, before],
          [text.compare.after, after],
        ] as const
      ).map(([name, revision]) => (
        <div key={name} className="sides-row">
          <dt>{name}</dt>
          <dd>
            <Link to="/revisions/$revision" params={{ revision: String(revision.number) }}>
              {text.revisions.numbered(revision.number)}
            </Link>{' '}
            <RevisionState state={revision.state} />{' '}
            <span className="muted">
              {text.routes(revision.prefix_count.ipv4 + revision.prefix_count.ipv6)}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface BodyProps {
  readonly before: string;
  readonly after: string;
  readonly one: Revision;
  readonly other: Revision;
}

/** The rows, and beside them the counts by community or, with `m`, the map. */
function Body({ before, after, one, other }: BodyProps) {
  const { map, within } = route.useSearch();
  const [selected, setSelected] = useState<string>();
  const [isByKey, setByKey] = useState(false);
  const navigate = useNavigate();
  useShortcut('m', mapText.show, () => {
    setByKey(true);
    void navigate({
      to: '/compare/$pair',
      params: { pair: `${before}...${after}` },
      search: map === undefined ? { map: 'shown' } : {},
    });
  });
  return (
    <div className={map === undefined ? 'compare' : 'compare with-map'}>
      <Difference
        key={within}
        title={text.compare.rows}
        query={useInfiniteQuery(diffQuery(before, after, within))}
        onSelect={setSelected}
        {...(within === undefined ? {} : { none: text.compare.noneIn(within) })}
      />
      {map === undefined ? (
        <CommunityChanges before={one} after={other} />
      ) : (
        <CompareMap before={before} after={after} marked={selected} takesFocus={isByKey} />
      )}
    </div>
  );
}
