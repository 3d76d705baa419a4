import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { client } from '../../service/client.ts';
import type { Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { AppliedDifference } from '../difference/AppliedDifference.tsx';
import { Problem } from '../faults/Problem.tsx';
import { Consequences } from './Consequences.tsx';
import { Overtaken, useNewest } from './Overtaken.tsx';

interface ApplyDialogProps {
  readonly revision: Revision;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks once more, with what it changes; then shows the apply. */
export function ApplyDialog({ revision, isOpen, onClose }: ApplyDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const navigate = useNavigate();
  const toast = useToast();
  const { latest: newest, overtaking, basis, isStillLatest } = useNewest(isOpen);
  /** Later ones are there: an apply of this one lasts until the next edit. */
  const latest = newest !== undefined && newest.number > revision.number ? newest.number : null;
  const applying = useMutation({
    mutationFn: async () =>
      (await isStillLatest()) ? client.post('/v1/apply', { body: { revision_id: revision.id } }) : null,
    onSuccess: (job) => {
      // What has come meanwhile is shown first.
      if (job === null) return;
      onClose();
      toast(text.revisions.applied);
      void navigate({ to: '/applies/$jobId', params: { jobId: job.id } });
    },
  });
  return (
    <Dialog
      title={text.revisions.confirmApply(revision.number)}
      isOpen={isOpen}
      onClose={onClose}
      initialFocus={cancel}
    >
      <Overtaken overtaking={overtaking} />
      {latest !== null && <p>{text.revisions.applyOld(latest)}</p>}
      <p>{text.revisions.applyEffect}</p>
      <AppliedDifference revision={revision} />
      {latest !== null && isOpen && (
        <Consequences
          writes={[{ method: 'POST', path: '/v1/apply', body: { revision_id: revision.id } }]}
          basis={basis}
        />
      )}
      {applying.error !== null && <Problem error={applying.error} onRetry={() => applying.mutate()} />}
      <div className="dialog-actions">
        <Button ref={cancel} onClick={onClose}>
          {text.cancel}
        </Button>
        <Button
          look={latest === null ? 'primary' : 'danger'}
          isBusy={applying.isPending}
          onClick={() => applying.mutate()}
        >
          {text.revisions.apply}
        </Button>
      </div>
    </Dialog>
  );
}
