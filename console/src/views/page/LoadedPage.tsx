import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Waiting, type Read } from './Loaded.tsx';
import { Page } from './Page.tsx';
import { Problem } from '../faults/Problem.tsx';

export interface LoadedPageProps<T> {
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
