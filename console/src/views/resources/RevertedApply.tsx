import { Link } from '@tanstack/react-router';
import { revertedText } from '../../strings/speakers.ts';

interface RevertedApplyProps {
  readonly lastApply: { readonly status: string; readonly job_id: string | null } | null;
}

/** Where the revision that a peer could not take is tried again. */
export function RevertedApply({ lastApply }: RevertedApplyProps) {
  if (lastApply?.status !== 'partial' || lastApply.job_id === null) return null;
  return (
    <Link to="/applies/$jobId" params={{ jobId: lastApply.job_id }}>
      {revertedText.apply}
    </Link>
  );
}
