import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { client } from '../../service/client.ts';
import { revisionQuery, speakersQuery, type Revision } from '../../service/queries.ts';
import { useMay } from '../../service/permissions.ts';
import { text } from '../../strings/english.ts';
import { ApplyDialog } from '../../views/revisions/ApplyDialog.tsx';
import { RollbackDialog } from './RollbackDialog.tsx';

export function RevisionActions({ revision }: { revision: Revision }) {
  const [asks, setAsks] = useState<'apply' | 'rollback' | null>(null);
  const queries = useQueryClient();
  const toast = useToast();
  const navigate = useNavigate();
  const may = useMay();
  const name = String(revision.number);
  const pinning = useMutation({
    mutationFn: (pinned: boolean) =>
      client.patch('/v1/revisions/{revision_id}', {
        params: { path: { revision_id: revision.id } },
        body: { pinned },
      }),
    onSuccess: ({ pinned }) => {
      void queries.invalidateQueries({ queryKey: ['revision'] });
      toast(pinned ? text.revisions.pinnedNow : text.revisions.unpinnedNow);
    },
    onError: (error) => toast(error.message),
  });
  const { data: parent } = useQuery({
    ...revisionQuery(revision.parent_id ?? ''),
    enabled: revision.parent_id !== null,
  });
  const isRunning = revision.applied_on.length > 0;
  const canApply = may('bgp:deploy:write') && revision.state === 'ready';
  const { data: speakers = [] } = useQuery(speakersQuery);
  const hasIt = new Set(revision.applied_on.map(({ speaker_id }) => speaker_id));
  const { data: applied } = useQuery({ ...revisionQuery('applied'), enabled: canApply && !isRunning });
  const isSame = applied !== undefined && applied.content_hash === revision.content_hash;
  // To apply once more what is announced is for whoever has a reason to.
  const isAnnounced = isRunning ? speakers.every(({ id, enabled }) => !enabled || hasIt.has(id)) : isSame;
  const { data: latest } = useQuery({ ...revisionQuery('latest'), enabled: canApply && !isRunning });
  /** Later ones are there: an apply of this one lasts until the next edit. */
  const isOld = latest !== undefined && latest.number > revision.number;
  useShortcut('u', text.revisions.rollback, canApply ? () => setAsks('rollback') : null);
  useShortcut('d', text.revisions.compareApplied, () => {
    void navigate({ to: '/compare/$pair', params: { pair: `applied...${name}` } });
  });
  return (
    <>
      {revision.parent_id !== null && (
        <Link
          className="button"
          to="/compare/$pair"
          params={{ pair: `${parent?.number ?? revision.parent_id}...${name}` }}
        >
          {text.revisions.compareParent}
        </Link>
      )}
      {!isRunning && (
        <Link className="button" to="/compare/$pair" params={{ pair: `applied...${name}` }}>
          {text.revisions.compareApplied}
        </Link>
      )}
      {may('bgp:revisions:write') && (
        <Button isBusy={pinning.isPending} onClick={() => pinning.mutate(!revision.pinned)}>
          {revision.pinned ? text.revisions.unpin : text.revisions.pin}
        </Button>
      )}
      {canApply && (
        <>
          {!isRunning && (
            <Button
              {...(isOld && !isAnnounced ? { look: 'primary' } : {})}
              onClick={() => setAsks('rollback')}
            >
              {text.revisions.rollback}
            </Button>
          )}
          <Button {...(isAnnounced || isOld ? {} : { look: 'primary' })} onClick={() => setAsks('apply')}>
            {text.revisions.apply}
          </Button>
        </>
      )}
      <ApplyDialog revision={revision} isOpen={asks === 'apply'} onClose={() => setAsks(null)} />
      {asks === 'rollback' && (
        <RollbackDialog key={revision.id} revision={revision} isOpen onClose={() => setAsks(null)} />
      )}
    </>
  );
}
