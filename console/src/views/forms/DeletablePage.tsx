import { lazy, Suspense } from 'react';
import { isGone } from '../../service/writes.ts';
import { FailedPage, LoadedPage, type LoadedPageProps } from '../page/LoadedPage.tsx';
import { UnsavedInside, useUnsavedInside } from '../questions/Unsaved.tsx';

/** Seldom seen. */
const LatestChange = lazy(async () => ({ default: (await import('./LatestChange.tsx')).LatestChange }));

interface DeletablePageProps<T> extends LoadedPageProps<T> {
  /** Of the thing itself. */
  readonly path: string;
}

/** A page of one thing that somebody may delete while it is open: it says so then, and by whom. What is being written there stays. */
export function DeletablePage<T>({ path, children, ...props }: DeletablePageProps<T>) {
  const [isUnsaved, tellUnsaved] = useUnsavedInside();
  const { query, title, list } = props;
  if (isGone(query.error) && !isUnsaved)
    return (
      <FailedPage title={title} list={list} error={query.error} onRetry={() => void query.refetch()}>
        <Suspense>
          <LatestChange path={path} isGone />
        </Suspense>
      </FailedPage>
    );
  return (
    <LoadedPage {...props}>
      {(data) => <UnsavedInside value={tellUnsaved}>{children(data)}</UnsavedInside>}
    </LoadedPage>
  );
}
