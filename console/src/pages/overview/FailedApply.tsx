import { Link } from '@tanstack/react-router';
import { overviewText } from '../../strings/overview.ts';
import { inWordsOfThePages } from '../../strings/remedies.ts';

const CANARIES = 'deploy_canary_speaker_ids';

/** Every speaker that lacks the revision lacks it for this reason. */
export function FailedApply({ jobId, detail }: { readonly jobId: string; readonly detail: string }) {
  return (
    <>
      <span className="name">{inWordsOfThePages(detail)}</span>
      <Link to="/applies/$jobId" params={{ jobId }}>
        {overviewText.failedApply}
      </Link>
      {detail.includes(CANARIES) && (
        <Link to="/settings" search={{ q: CANARIES }}>
          {overviewText.canaries}
        </Link>
      )}
    </>
  );
}
