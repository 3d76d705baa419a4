import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Skeleton } from '../design/shown/Skeleton.tsx';
import { Page } from './Page.tsx';
import { Problem } from './Problem.tsx';

interface LoadedPageProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error'> & { refetch(): unknown };
  /** What kind of thing it is, until its name is known. */
  readonly title: string;
  /** Where all of them are. */
  readonly list: {
    readonly to: '/modules' | '/revisions' | '/jobs' | '/sessions' | '/peers';
    readonly name: string;
  };
  readonly children: (data: T) => ReactNode;
}

/** A page of one thing. It has a heading and a title while it is read, and leads on where the thing is not there. */
export function LoadedPage<T>({ query, title, list, children }: LoadedPageProps<T>) {
  const { data, error } = query;
  if (data !== undefined) return children(data);
  if (error !== null)
    return <FailedPage title={title} list={list} error={error} onRetry={() => void query.refetch()} />;
  return (
    <Page title={title}>
      <Skeleton />
    </Page>
  );
}

interface FailedPageProps extends Pick<LoadedPageProps<never>, 'title' | 'list'> {
  readonly error: Error;
  readonly onRetry?: () => void;
}

export function FailedPage({ title, list, error, onRetry }: FailedPageProps) {
  return (
    <Page title={title}>
      <Problem error={error} onRetry={onRetry} />
      <p>
        <Link className="button" to={list.to}>
          {list.name}
        </Link>
      </p>
    </Page>
  );
}
