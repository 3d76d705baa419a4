import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge, type Tone } from '../../design/shown/Badge.tsx';
import { Button } from '../../design/controls/Button.tsx';
import { Moment } from '../../design/shown/Time.tsx';
import { historyQuery, type HistoryItem } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { historyText } from '../../strings/lookup.ts';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Section } from '../../views/page/Page.tsx';
import { ModuleLink } from '../../views/resources/ResourceLink.tsx';
import { Prefix } from '../../design/shown/Prefix.tsx';

const TONES: Readonly<Record<HistoryItem['change'], Tone>> = {
  ...{ announced: 'good', withdrawn: 'bad', changed: 'warning', contributed: 'plain' },
};
const SHOWN = 3;

/** Since when it is as it is: each revision that changed what is announced of it, the entries that did, and where it went. */
export function History({ prefix }: { prefix: string }) {
  const history = useInfiniteQuery(historyQuery(prefix));
  return (
    <Section title={historyText.title}>
      <Loaded query={history}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          const oldest = pages[0]!.oldest;
          return (
            <>
              {items.length === 0 && !history.hasNextPage && <p className="muted">{historyText.never}</p>}
              <ol className="history">
                {items.map((item) => (
                  <li key={item.revision_id}>
                    <Item item={item} />
                  </li>
                ))}
              </ol>
              {history.hasNextPage && (
                <p>
                  <Button isBusy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
                    {text.showMore}
                  </Button>
                </p>
              )}
              {oldest !== null && oldest.pruned_before > 0 && !history.hasNextPage && (
                <p className="muted">
                  {historyText.begins(text.revisions.numbered(oldest.revision))}{' '}
                  {historyText.prunedBefore(oldest.pruned_before)}
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function Item({ item }: { item: HistoryItem }) {
  const { change, created_at, revision, trigger, routes, routes_before, contributors, applied } = item;
  const isNeverApplied = applied.length === 0;
  const changed = contributors.filter((one) => one.change !== 'kept');
  const [shown] = change === 'withdrawn' ? routes_before : routes;
  return (
    <>
      {/* Only what a router had was announced. */}
      {isNeverApplied ? (
        <Badge>{historyText.built[change]}</Badge>
      ) : (
        <Badge tone={TONES[change]}>{historyText.changes[change]}</Badge>
      )}
      <div>
        <p className="history-what">
          <Moment at={created_at} />
          <Link to="/revisions/$revision" params={{ revision: String(revision) }}>
            {text.revisions.numbered(revision)}
          </Link>
          {shown !== undefined && <Prefix prefix={shown.prefix} />}
          {change === 'changed' && <OtherCommunities before={routes_before} after={routes} />}
          <span className="muted">
            {text.revisions.triggers[trigger.kind]}
            {trigger.actor !== null && <span className="name"> {text.revisions.by(trigger.actor)}</span>}
          </span>
        </p>
        {changed.slice(0, SHOWN).map(({ module, purpose, entry, change: what }) => (
          <p key={entry.id} className="muted">
            {module.name === null && `${historyText.gone} `}
            <ModuleLink id={module.id} name={module.name} />{' '}
            {(purpose === 'exclude' ? historyText.exclusions : historyText.entries)[what]}{' '}
            {entry.value !== null && <code className="name">{entry.value}</code>}
          </p>
        ))}
        {[...Map.groupBy(applied, ({ speaker_id }) => speaker_id).values()]
          .slice(0, SHOWN)
          .map((times) =>
            times.map((one) => (
              <Applied key={`${one.speaker_id} ${one.applied_at}`} one={one} isAgain={times.length > 1} />
            )),
          )}
        {isNeverApplied && <p className="muted">{historyText.neverApplied}</p>}
        {item.pruned_between > 0 && <p className="muted">{historyText.pruned(item.pruned_between)}</p>}
      </div>
    </>
  );
}

/** A time in which a speaker announced it; the last one lasts, or says what came next. */
function Applied({
  one: { speaker, applied_at, until, until_revision: next },
  isAgain,
}: {
  readonly one: HistoryItem['applied'][number];
  readonly isAgain: boolean;
}) {
  if (until === null)
    return (
      <p className="muted">
        <Moment at={applied_at} />{' '}
        <span className="name">
          {isAgain ? historyText.againAtSpeaker(speaker) : historyText.atSpeaker(speaker)}
        </span>
      </p>
    );
  return (
    <p className="muted">
      <Moment at={applied_at} /> {historyText.to} <Moment at={until} />{' '}
      {next !== null && (
        <>
          <span className="name">{historyText.leftSpeaker(speaker)}</span>{' '}
          <Link to="/revisions/$revision" params={{ revision: String(next) }}>
            {text.revisions.numbered(next)}
          </Link>
        </>
      )}
    </p>
  );
}

type Route = HistoryItem['routes'][number];

/** What routers filter by, before and after, where the route itself stayed. */
function OtherCommunities({
  before,
  after,
}: {
  readonly before: readonly Route[];
  readonly after: readonly Route[];
}) {
  const [now] = after;
  const was = before.find(({ prefix }) => prefix === now?.prefix);
  if (now === undefined || was === undefined) return null;
  const [old, current] = [valuesOf(was), valuesOf(now)];
  if (old === current) return null;
  return (
    <span>
      <code>{old}</code> {historyText.became} <code>{current}</code>
    </span>
  );
}

function valuesOf({ communities }: Route): string {
  return communities.length === 0
    ? text.revisions.noCommunity
    : communities.map(({ community }) => community).join(', ');
}
