import { hasEnded } from '@prefixcast/client';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useStaysWhile } from '../../design/messages/Toasts.tsx';
import { jobQuery } from '../../service/queries.ts';
import { formatNumber } from '../../strings/format.ts';
import { text } from '../../strings/english.ts';
import { sourcesText } from '../../strings/operations.ts';
import { ModuleLink } from './ResourceLink.tsx';

/** A message has room for these. */
const NAMED = 3;

/** In a toast, of several refreshes: how many have ended, and which of them failed. */
export function BegunAll({ jobIds }: { jobIds: readonly string[] }) {
  const queries = useQueries({ queries: jobIds.map((id) => jobQuery(id)) });
  const ended = queries.flatMap(({ data }) => (data !== undefined && hasEnded(data) ? [data] : []));
  // Who may not read one, or has signed out since, would never see its end.
  const unread = queries.filter(({ error }) => error !== null).length;
  useStaysWhile(ended.length + unread < jobIds.length);
  const failed = ended.filter(({ state }) => state !== 'succeeded');
  return (
    <>
      {ended.length === 0
        ? sourcesText.refreshing(jobIds.length)
        : sourcesText.refreshed(ended.length, jobIds.length, failed.length)}{' '}
      {failed.slice(0, NAMED).map(({ id, resource }) => (
        <span key={id}>{resource !== null && <ModuleLink id={resource.id} name={null} />} </span>
      ))}
      {failed.length > NAMED && <>{text.andMore(formatNumber(failed.length - NAMED))} </>}
      <Link to="/jobs" search={{ type: 'module_refresh' }}>
        {text.navigation.jobs}
      </Link>
    </>
  );
}
