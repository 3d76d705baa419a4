import { useNavigate } from '@tanstack/react-router';
import { formatList } from '../../strings/format.ts';
import { overviewText } from '../../strings/overview.ts';
import { PlanDialog } from '../../views/revisions/PlanDialog.ts';

interface PastCanariesProps {
  readonly revisionId: string;
  /** Those that it goes to. */
  readonly speakers: readonly { readonly id: string; readonly name: string }[];
  readonly onClose: () => void;
}

/** Asks whether a revision goes to the other speakers at once, before a canary has shown that routers bear it. */
export function PastCanaries({ revisionId, speakers, onClose }: PastCanariesProps) {
  const navigate = useNavigate();
  const body = { revision_id: revisionId, speaker_ids: speakers.map(({ id }) => id) };
  return (
    <PlanDialog
      title={overviewText.pastCanaries}
      action={overviewText.pastAction}
      look="danger"
      writes={[{ method: 'POST', path: '/v1/apply', body }]}
      back={overviewText.pastBack}
      isOpen
      onClose={onClose}
      onDone={([job]) => {
        onClose();
        void navigate({ to: '/applies/$jobId', params: { jobId: (job as { readonly id: string }).id } });
      }}
    >
      <p className="banner">{overviewText.pastWhat(formatList(speakers.map(({ name }) => name)))}</p>
    </PlanDialog>
  );
}
