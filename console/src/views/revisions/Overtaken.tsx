import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { revisionQuery, speakersQuery, type Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import '../faults/problem.css';

export interface Newest {
  readonly latest: Revision | undefined;
  /** What the numbers of a window are of: the content of the newest revision, and what speakers run. */
  readonly basis: string;
  /** What has come since the window was opened; null: nothing that has other routes. */
  readonly overtaking: Revision | null;
  /** Asks once more, before something is done by these numbers. */
  readonly isStillLatest: () => Promise<boolean>;
}

/** What a window is about that goes back to other routes: what others do meanwhile would be taken away unseen. */
export function useNewest(isOpen: boolean): Newest {
  const queries = useQueryClient();
  const { data: latest } = useQuery({ ...revisionQuery('latest'), enabled: isOpen });
  const { data: speakers = [] } = useQuery({ ...speakersQuery, enabled: isOpen });
  const [seen, setSeen] = useState<string | null>(null);
  const [overtaking, setOvertaking] = useState<Revision | null>(null);
  const content = !isOpen || latest === undefined ? null : contentOf(latest);
  if (content !== seen) {
    setSeen(content);
    setOvertaking(seen === null || content === null ? null : latest!);
  }
  const running = speakers.map(({ applied_revision_id: id }) => id ?? '');
  return {
    ...{ latest, overtaking },
    basis: [content ?? '', ...running].join(' '),
    isStillLatest: async () => {
      const now = await queries.fetchQuery({ ...revisionQuery('latest'), staleTime: 0 });
      return contentOf(now) === content;
    },
  };
}

/** A refresh that changed nothing makes a revision, too. */
function contentOf({ id, content_hash: hash }: Revision): string {
  return hash ?? id;
}

/** That something has come meanwhile, and whose it is. */
export function Overtaken({ overtaking }: Pick<Newest, 'overtaking'>) {
  return (
    <div role="alert">
      {overtaking !== null && (
        <p className="problem name">
          {text.revisions.overtaken(
            text.revisions.numbered(overtaking.number),
            text.revisions.triggers[overtaking.trigger.kind],
            overtaking.trigger.actor,
          )}
        </p>
      )}
    </div>
  );
}
