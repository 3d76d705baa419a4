import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Button } from '../../design/controls/Button.tsx';
import { Skeleton } from '../../design/shown/Skeleton.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../service/permissions.ts';
import { communitiesQuery, moduleQuery, settingsQuery, type Module } from '../../service/queries.ts';
import { isGone } from '../../service/writes.ts';
import { entriesText } from '../../strings/entries.ts';
import { text } from '../../strings/english.ts';
import { kinds, titleOf } from '../../strings/kinds.ts';
import { formatList } from '../../strings/format.ts';
import { inWordsOfThePages } from '../../strings/remedies.ts';
import { ChangesLink } from '../../views/resources/ChangesLink.tsx';
import { Begun } from '../../views/resources/Begun.tsx';
import { Community } from '../../views/resources/Community.tsx';
import { FamilyCounts } from '../../views/difference/Counts.tsx';
import { LoadedPage } from '../../views/page/LoadedPage.tsx';
import { LongText } from '../../design/shown/LongText.tsx';
import { Page } from '../../views/page/Page.tsx';
import { UnsavedInside, useUnsavedInside } from '../../views/questions/Unsaved.tsx';
import { moduleState } from '../../views/resources/StateBadges.tsx';
import { Tabs } from '../../views/page/Tabs.tsx';
import { EntryGrid } from './EntryGrid.tsx';

/**
 * Parts that most pages of a module do not begin with. The editor comes beside what is around it, and so does what somebody who writes may need when
 * nobody answers, or another version of the service.
 */
const ModuleSettings = lazy(async () => ({
  default: (await import('./ModuleSettings.tsx')).ModuleSettings,
}));
const EntriesText = lazy(async () => {
  for (const part of [import('./merge-text.ts'), import('./undo-text.ts')]) part.catch(() => undefined);
  const [{ EntriesText: part }] = await Promise.all([
    import('./EntriesText.tsx'),
    import('./TextEditor.tsx').catch(() => undefined),
    import('./LineFaults.tsx').catch(() => undefined),
  ]);
  return { default: part };
});
const HeldModule = lazy(async () => ({ default: (await import('./HeldModule.tsx')).HeldModule }));
const DeletedModule = lazy(async () => ({ default: (await import('./DeletedModule.tsx')).DeletedModule }));
const DeletedMeanwhile = lazy(async () => ({
  default: (await import('./DeletedMeanwhile.tsx')).DeletedMeanwhile,
}));
const LatestChange = lazy(async () => ({
  default: (await import('../../views/forms/LatestChange.tsx')).LatestChange,
}));
const RemovedEntries = lazy(async () => ({ default: (await import('./RemovedEntries.tsx')).RemovedEntries }));

const { tabs } = entriesText;
const HELD = ['held', tabs.held] as const;
const PARTS = [
  ['entries', tabs.entries],
  ['text', tabs.text],
  ['removed', tabs.removed],
  ['settings', tabs.settings],
] as const;

const route = getRouteApi('/modules/$moduleId');

export function ModulePage() {
  const { moduleId } = route.useParams();
  const query = useQuery(moduleQuery(moduleId));
  const [isUnsaved, tellUnsaved] = useUnsavedInside();
  const { error } = query;
  const wasDeleted = isGone(error);
  // One that was shown before it was deleted is deleted as well; what somebody is writing there stays.
  if (wasDeleted && (!isUnsaved || query.data === undefined))
    return (
      <Suspense fallback={<Skeleton lines={12} />}>
        <DeletedModule id={moduleId} error={error} />
      </Suspense>
    );
  return (
    <LoadedPage query={query} title={kinds.module} list={{ to: '/modules', name: text.navigation.modules }}>
      {(module) => (
        <UnsavedInside value={tellUnsaved}>
          <OneModule key={module.id} module={module} wasDeleted={wasDeleted} />
        </UnsavedInside>
      )}
    </LoadedPage>
  );
}

function OneModule({ module, wasDeleted }: { module: Module; wasDeleted: boolean }) {
  const { word, tone } = moduleState(module);
  const { held } = module;
  const parts = held === null ? PARTS : [HELD, ...PARTS];
  /** Where one is stays, with what is written there, whatever the module becomes meanwhile. */
  const [first, setFirst] = useState(parts[0][0]);
  if (held === null && first === 'held') setFirst('entries');
  const { tab: asked = first } = route.useSearch();
  const [tab] = parts.find(([name]) => name === asked) ?? parts[0];
  useEndOfHold(module, tab === 'held');
  return (
    <Page
      title={titleOf(module.name, 'module')}
      heading={
        <>
          <span className="name">{module.name}</span> <Badge tone={tone}>{word}</Badge>
        </>
      }
      actions={
        <>
          <ChangesLink id={module.id} />
          <RefreshButton module={module} />
        </>
      }
    >
      {wasDeleted && (
        <Suspense>
          <DeletedMeanwhile module={module} />
        </Suspense>
      )}
      <Facts module={module} />
      <Tabs label={entriesText.tabs.label} tabs={parts} current={tab} unnamed={first} />
      {tab === 'entries' && <EntryGrid key={module.id} module={module} />}
      <Suspense fallback={<Skeleton lines={12} />}>
        {held !== null && tab === 'held' && (
          <HeldModule module={module} held={held} isOff={!module.enabled} />
        )}
        {tab === 'text' && <EntriesText key={module.id} module={module} />}
        {tab === 'removed' && <RemovedEntries key={module.id} module={module} />}
        {tab === 'settings' && <ModuleSettings key={module.id} module={module} />}
      </Suspense>
    </Page>
  );
}

/** Who looks at what holds a module, or is asked whether to release it, learns why that goes away. */
function useEndOfHold({ id, name, held }: Module, isShown: boolean): void {
  const toast = useToast();
  const wasShown = useRef(isShown);
  useEffect(() => {
    if (wasShown.current && held === null)
      toast(
        <>
          {text.guardrails.heldNoMore(name)}
          <Suspense>
            <LatestChange path={`/v1/modules/${id}`} />
          </Suspense>
        </>,
      );
    wasShown.current = isShown;
  }, [held, isShown, id, name, toast]);
}

function RefreshButton({ module }: { module: Module }) {
  const toast = useToast();
  const may = useMay();
  const refreshing = useMutation({
    mutationFn: () =>
      client.post('/v1/modules/{module_id}/refresh', { params: { path: { module_id: module.id } } }),
    onSuccess: ({ id }) => toast(<Begun what={text.modules.refreshing} jobId={id} />, { about: module.id }),
    onError: (error) => toast(error.message),
  });
  if (!may('bgp:lists:write')) return null;
  return (
    <Button isBusy={refreshing.isPending} onClick={() => refreshing.mutate()}>
      {text.modules.refresh}
    </Button>
  );
}

function Facts({ module }: { module: Module }) {
  const { data: communities = [] } = useQuery(communitiesQuery);
  const { data: settings } = useQuery(settingsQuery);
  const carried = module.community_id ?? settings?.settings.default_community_id;
  const community = communities.find(({ id }) => id === carried);
  return (
    <dl className="facts columns">
      <dt>{text.modules.type}</dt>
      <dd>
        {text.modules.types[module.type] ?? module.type},{' '}
        {module.purpose === 'exclude' ? text.modules.exclude : text.modules.announce}
      </dd>
      {module.description !== null && (
        <>
          <dt>{text.modules.description}</dt>
          <dd>
            <LongText text={module.description} label={text.modules.description} />
          </dd>
        </>
      )}
      {module.purpose === 'announce' && (
        <>
          <dt>{text.modules.community}</dt>
          <dd>
            {community === undefined ? (
              text.modules.noCommunity
            ) : (
              <Community community={community.community} title={community.title} />
            )}
            {community !== undefined && module.community_id === null && (
              <span className="muted"> {text.modules.byDefault}</span>
            )}
          </dd>
        </>
      )}
      <dt>{text.modules.families}</dt>
      <dd>{formatList(module.families.map((family) => text.families[family]))}</dd>
      <dt>{text.modules.entries}</dt>
      <dd>{text.entries(module.entry_count)}</dd>
      <dt>{text.modules.routes}</dt>
      <dd>
        <FamilyCounts counts={module.prefix_count} />
        {module.held !== null && (
          <span className="muted"> {module.enabled ? text.modules.heldBack : text.modules.keptOff}</span>
        )}
      </dd>
      <dt>{text.modules.refreshed}</dt>
      <dd>
        {module.last_refreshed_at === null ? text.never : <Time at={module.last_refreshed_at} />}
        {module.next_refresh_at !== null && (
          <>
            {' · '}
            {text.modules.next} <Time at={module.next_refresh_at} />
          </>
        )}
      </dd>
      {typeof module.last_refresh?.error === 'string' && (
        <>
          <dt>{text.modules.lastError}</dt>
          <dd className="name">{inWordsOfThePages(module.last_refresh.error)}</dd>
        </>
      )}
    </dl>
  );
}
