import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Button } from '../../design/controls/Button.tsx';
import { Skeleton } from '../../design/shown/Skeleton.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { useMay } from '../../service/permissions.ts';
import { heldDiffQuery, removedModulesQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { kinds, titleOf } from '../../strings/kinds.ts';
import { removedText } from '../../strings/removed.ts';
import { FailedPage } from '../../views/page/LoadedPage.tsx';
import { Page } from '../../views/page/Page.tsx';
import { RestoreModule } from './RestoreModule.tsx';

/** Few that are deleted are held. */
const HeldModule = lazy(async () => ({ default: (await import('./HeldModule.tsx')).HeldModule }));

/** A module that is not there: how it comes back, and what holds its routes. @param error of who asked for it */
export function DeletedModule({ id, error }: { readonly id: string; readonly error: Error }) {
  const [isRestoring, setRestoring] = useState(false);
  const may = useMay();
  const removed = useQuery(removedModulesQuery);
  const effect = useInfiniteQuery(heldDiffQuery(id));
  if (removed.isPending || effect.isPending) return <Skeleton />;
  const module = removed.data?.find((one) => one.id === id);
  const [held] = effect.data?.pages ?? [];
  const name = module?.name ?? held?.name;
  if (name === undefined)
    return (
      <FailedPage
        title={kinds.module}
        list={{ to: '/modules', name: text.navigation.modules }}
        error={error}
      />
    );
  return (
    <Page
      title={titleOf(name, 'module')}
      heading={
        <>
          <span className="name">{name}</span> <Badge>{removedText.deleted}</Badge>
        </>
      }
      actions={
        module !== undefined &&
        may('bgp:lists:write') && (
          <Button look="primary" onClick={() => setRestoring(true)}>
            {removedText.restore}
          </Button>
        )
      }
    >
      <p>{held === undefined ? removedText.gone : removedText.goneHeld}</p>
      {module !== undefined && (
        <dl className="facts columns">
          <dt>{removedText.type}</dt>
          <dd>{text.modules.types[module.type] ?? module.type}</dd>
          <dt>{removedText.entries}</dt>
          <dd>{text.entries(module.entry_count)}</dd>
          <dt>{removedText.when}</dt>
          <dd>
            <Time at={module.removed_at} />{' '}
            {module.removed_by !== null && (
              <span className="name">{text.revisions.by(module.removed_by)}</span>
            )}
          </dd>
          <dt>{removedText.until}</dt>
          <dd>
            <Time at={module.kept_until} />
          </dd>
        </dl>
      )}
      {held !== undefined && (
        <Suspense fallback={<Skeleton lines={12} />}>
          <HeldModule isDeleted module={{ id, name }} held={{ ...held, since: module?.removed_at ?? null }} />
        </Suspense>
      )}
      {isRestoring && <RestoreModule module={{ id, name }} onClose={() => setRestoring(false)} />}
    </Page>
  );
}
