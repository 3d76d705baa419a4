import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { client } from '../../service/client.ts';
import type { Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { AppliedDifference } from '../../views/AppliedDifference.tsx';
import { Problem } from '../../views/Problem.tsx';

interface RollbackDialogProps {
  readonly revision: Revision;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function RollbackDialog({ revision, isOpen, onClose }: RollbackDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const toast = useToast();
  const rollingBack = useMutation({
    mutationFn: () =>
      client.post('/v1/revisions/{revision_id}/rollback', {
        params: { path: { revision_id: revision.id } },
      }),
    onSuccess: ({ number, apply_job_id }) => {
      onClose();
      toast(text.revisions.rolledBack(number));
      void queries.invalidateQueries({ queryKey: ['revisions'] });
      void (apply_job_id === null
        ? navigate({ to: '/revisions/$revision', params: { revision: String(number) } })
        : navigate({ to: '/applies/$jobId', params: { jobId: apply_job_id } }));
    },
  });
  return (
    <Dialog
      title={text.revisions.confirmRollback(revision.number)}
      isOpen={isOpen}
      onClose={onClose}
      initialFocus={cancel}
    >
      <p>{text.revisions.rollbackWhat}</p>
      <AppliedDifference revision={revision} />
      {rollingBack.error !== null && (
        <Problem error={rollingBack.error} onRetry={() => rollingBack.mutate()} />
      )}
      <div className="dialog-actions">
        <Button ref={cancel} onClick={onClose}>
          {text.cancel}
        </Button>
        <Button look="danger" isBusy={rollingBack.isPending} onClick={() => rollingBack.mutate()}>
          {text.revisions.rollback}
        </Button>
      </div>
    </Dialog>
  );
}
