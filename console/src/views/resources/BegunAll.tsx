import { hasEnded } from '@prefixcast/client';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useStaysWhile } from '../../design/messages/Toasts.tsx';
import { jobQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { sourcesText } from '../../strings/operations.ts';

/** In a toast, of several refreshes: how many have ended, and how many of them failed. */
export function BegunAll({ jobIds }: { jobIds: readonly string[] }) {
  const queries = useQueries({ queries: jobIds.map((id) => jobQuery(id)) });
  const ended = queries.flatMap(({ data }) => (data !== undefined && hasEnded(data) ? [data] : []));
  // Who may not read one, or has signed out since, would never see its end.
  const unread = queries.filter(({ error }) => error !== null).length;
  useStaysWhile(ended.length + unread < jobIds.length);
  const failed = ended.filter(({ state }) => state !== 'succeeded').length;
  return (
    <>
      {ended.length === 0
        ? sourcesText.refreshing(jobIds.length)
        : sourcesText.refreshed(ended.length, jobIds.length, failed)}{' '}
      <Link to="/jobs" search={{ type: 'module_refresh' }}>
        {text.navigation.jobs}
      </Link>
    </>
  );
}
