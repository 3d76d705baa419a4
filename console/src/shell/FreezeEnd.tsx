import type { Schemas } from '@prefixcast/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { diffQuery, latestReadyQuery, revisionsQuery, settingsQuery } from '../service/queries.ts';
import type { Plan } from '../service/writes.ts';
import { freezeText } from '../strings/freeze.ts';
import { formatList } from '../strings/format.ts';
import { Difference } from '../views/difference/Difference.tsx';
import { Speakers } from '../views/revisions/PlanView.tsx';

type Stopped = Schemas['StoppedApply'];

/**
 * What the end of a freeze applies, and what it does not: the applies that it stopped, by what the service would do with them. A revision that edits
 * lead to has nothing to do with it.
 */
export function FreezeEnd({ plan: { answers, effect } }: { readonly plan: Plan }) {
  const { data: settings } = useQuery(settingsQuery);
  const { data: ready } = useQuery(latestReadyQuery);
  const { data: held } = useInfiniteQuery(revisionsQuery({ state: 'held' }));
  const newest = held?.pages[0]?.items[0];
  const isHeld = ready !== undefined && newest !== undefined && newest.number > (ready.items[0]?.number ?? 0);
  const stopped = answers.flatMap(({ body }) => (body as Schemas['SettingsAnswer']).stopped_applies);
  const resumed = stopped.filter(({ apply_job_id: job }) => job !== null);
  const left = stopped.filter(({ apply_job_id: job }) => job === null);
  const last = resumed.at(-1);
  // Where a revision would follow as well, its routes are among these.
  const speakers = effect.revision === null ? effect.speakers : [];
  return (
    <div className="plan">
      <p>{whatOf(resumed, speakers.length > 0)}</p>
      {left.length > 0 && <p>{freezeText.left(numbersOf(left))}</p>}
      {isHeld && <p>{freezeText.held(newest.number)}</p>}
      {effect.other_changes > 0 && (
        <p className="muted">
          {freezeText.edits(effect.other_changes, settings?.settings.auto_revision !== false)}
        </p>
      )}
      {last !== undefined && <Waiting apply={last} />}
      {speakers.length > 0 && <Speakers speakers={speakers} />}
    </div>
  );
}

function whatOf(resumed: readonly Stopped[], isOther: boolean): string {
  if (resumed.length > 0) return freezeText.applies(numbersOf(resumed));
  return isOther ? freezeText.others : freezeText.nothing;
}

function numbersOf(applies: readonly Stopped[]): string {
  return formatList([...new Set(applies.map(({ revision_number: number }) => String(number)))]);
}

/** What the revision has that routers have not. */
function Waiting({ apply: { revision_id: id, revision_number: number } }: { readonly apply: Stopped }) {
  const difference = useInfiniteQuery(diffQuery('applied', id));
  const [first] = difference.data?.pages ?? [];
  if (first === undefined || first.items.length === 0) return null;
  return <Difference title={freezeText.waiting(number)} query={difference} />;
}
