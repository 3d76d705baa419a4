import type { Schemas } from '@prefixcast/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Field } from '../../design/controls/Field.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { communitiesQuery, type Revision } from '../../service/queries.ts';
import { carryOutTogether, plannedQuery, type Write } from '../../service/writes.ts';
import { text } from '../../strings/english.ts';
import { AppliedDifference } from '../../views/difference/AppliedDifference.tsx';
import { Problem } from '../../views/faults/Problem.tsx';
import '../../views/faults/problem.css';
import { isLeft, Unsaved } from '../../views/questions/Unsaved.tsx';
import { Consequences } from '../../views/revisions/Consequences.tsx';
import { Overtaken, useNewest } from '../../views/revisions/Overtaken.tsx';
import { OtherHops } from './OtherHops.tsx';
import { TurnOff } from './TurnOff.tsx';

type RolledBack = Schemas['RolledBack'];

/** @param turnedOff modules */
function writesOf(revisionId: string, turnedOff: readonly string[], reason = ''): Write[] {
  return [
    ...turnedOff.map((id): Write => ({
      ...{ method: 'PATCH', path: `/v1/modules/${id}`, body: { enabled: false } },
    })),
    {
      ...{ method: 'POST', path: `/v1/revisions/${revisionId}/rollback` },
      ...(reason.trim() === '' ? {} : { body: { reason: reason.trim() } }),
    },
  ];
}

async function rollBack(writes: readonly Write[]): Promise<RolledBack> {
  return (await carryOutTogether(writes)).at(-1) as RolledBack;
}

/** Of the reason, as the service takes it. */
const MOST_LETTERS = 500;

interface RollbackDialogProps {
  readonly revision: Revision;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function RollbackDialog({ revision, isOpen, onClose }: RollbackDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const [turnedOff, setTurnedOff] = useState<readonly string[]>([]);
  const [reason, setReason] = useState('');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const toast = useToast();
  const { overtaking, basis, isStillLatest } = useNewest(isOpen);
  const writes = writesOf(revision.id, turnedOff);
  const plan = useQuery({ ...plannedQuery(writes, basis), enabled: isOpen });
  const rollingBack = useMutation({
    mutationFn: async () =>
      (await isStillLatest()) ? rollBack(writesOf(revision.id, turnedOff, reason)) : null,
    onSuccess: (done) => {
      // What has come meanwhile is shown first.
      if (done === null) return;
      const { number, apply_job_id } = done;
      onClose();
      toast(text.revisions.rolledBack(revision.number, number));
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
      <Overtaken overtaking={overtaking} />
      <AppliedDifference revision={revision} />
      <OtherValues revision={revision} />
      {isOpen && <OtherHops revision={revision} />}
      <TurnOff revision={revision} chosen={turnedOff} onChange={setTurnedOff} />
      <Field
        label={text.revisions.why}
        hint={text.revisions.whyHint}
        value={reason}
        maxLength={MOST_LETTERS}
        onChange={({ target }) => setReason(target.value)}
      />
      {isOpen && <Consequences writes={writes} basis={basis} />}
      {rollingBack.error !== null && (
        <Problem error={rollingBack.error} onRetry={() => rollingBack.mutate()} />
      )}
      <Unsaved isDirty={reason !== '' && isLeft(rollingBack)} />
      <div className="dialog-actions">
        <Button ref={cancel} onClick={onClose}>
          {text.cancel}
        </Button>
        <Button
          look="danger"
          isBusy={rollingBack.isPending || (overtaking !== null && plan.isPending)}
          onClick={() => rollingBack.mutate()}
        >
          {text.revisions.rollback}
        </Button>
      </div>
    </Dialog>
  );
}

/** Values of communities are not a part of lists, so that nothing holds them back: a rollback lasts for them until the next edit. */
function OtherValues({ revision }: { readonly revision: Revision }) {
  const { data: communities = [] } = useQuery(communitiesQuery);
  const changed = revision.communities.flatMap(({ community_id: id, community: then }) => {
    const now = communities.find((one) => one.id === id)?.community;
    return now === undefined || now === then ? [] : [{ then, now }];
  });
  if (changed.length === 0) return null;
  return (
    <div className="problem">
      <p>{text.revisions.otherValues}</p>
      <ul>
        {changed.map(({ then, now }) => (
          <li key={then}>{text.revisions.otherValue(then, now)}</li>
        ))}
      </ul>
      <p>
        {text.revisions.keepValue} <Link to="/communities">{text.navigation.communities}</Link>.
      </p>
    </div>
  );
}
