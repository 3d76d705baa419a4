import { Link } from '@tanstack/react-router';
import { lazy, Suspense, type ReactNode } from 'react';
import { isGone } from '../../service/writes.ts';
import { Waiting, type Read } from '../page/Loaded.tsx';
import { Page } from '../page/Page.tsx';
import { Problem } from '../faults/Problem.tsx';
import { UnsavedInside, useUnsavedInside } from '../questions/Unsaved.tsx';

/** Seldom seen. */
const LatestChange = lazy(async () => ({
  default: (await import('../forms/LatestChange.tsx')).LatestChange,
}));

interface LoadedPageProps<T> {
  readonly query: Read<T>;
  /** What kind of thing it is, until its name is known. */
  readonly title: string;
  /** Where all of them are. */
  readonly list: {
    readonly to: '/modules' | '/revisions' | '/jobs' | '/sessions' | '/peers' | '/webhooks' | '/firewall';
    /** Of the page that has several lists. */
    readonly tab?: string;
    readonly name: string;
  };
  /** Of the thing itself, which somebody may delete while its page is open: the page says so then, and by whom. */
  readonly path?: string;
  readonly children: (data: T) => ReactNode;
}

/** A page of one thing. It has a heading and a title while it is read, and leads on where the thing is not there. */
export function LoadedPage<T>({ query, title, list, path, children }: LoadedPageProps<T>) {
  const { data, error } = query;
  const [isUnsaved, tellUnsaved] = useUnsavedInside();
  // What somebody is writing there stays; to save it says the same.
  const wasDeleted = path !== undefined && isGone(error) && !isUnsaved;
  if (data !== undefined && !wasDeleted)
    return path === undefined ? (
      children(data)
    ) : (
      <UnsavedInside value={tellUnsaved}>{children(data)}</UnsavedInside>
    );
  if (error !== null)
    return (
      <FailedPage title={title} list={list} error={error} onRetry={() => void query.refetch()}>
        {wasDeleted && (
          <Suspense>
            <LatestChange path={path} isGone />
          </Suspense>
        )}
      </FailedPage>
    );
  return (
    <Page title={title}>
      <Waiting query={query} />
    </Page>
  );
}

interface FailedPageProps extends Pick<LoadedPageProps<never>, 'title' | 'list'> {
  readonly error: Error;
  readonly onRetry?: () => void;
  readonly children?: ReactNode;
}

export function FailedPage({ title, list, error, onRetry, children }: FailedPageProps) {
  return (
    <Page title={title}>
      <Problem error={error} onRetry={onRetry} />
      {children}
      <p>
        <Link
          className="button"
          to={list.to}
          search={(list.tab === undefined ? {} : { tab: list.tab }) as never}
        >
          {list.name}
        </Link>
      </p>
    </Page>
  );
}
