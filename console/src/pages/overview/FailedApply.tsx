import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Button } from '../../design/controls/Button.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../service/permissions.ts';
import { settingsQuery, speakersQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { overviewText } from '../../strings/overview.ts';
import { inWordsOfThePages } from '../../strings/remedies.ts';
import { lacksCanary } from '../../../../src/api/activity/canary-speakers.ts';
import { CANARIES, ChooseCanaries } from './ChooseCanaries.tsx';

interface FailedApplyProps {
  readonly jobId: string;
  readonly detail: string;
  readonly revisionId: string;
}

/** Every speaker that lacks the revision lacks it for this reason. */
export function FailedApply({ jobId, detail, revisionId }: FailedApplyProps) {
  const { data: settings } = useQuery(settingsQuery);
  const { data: speakers } = useQuery(speakersQuery);
  // As long as nobody can go first, another one fails as this one has.
  const isHopeless =
    settings === undefined ||
    speakers === undefined ||
    lacksCanary(settings.settings.deploy_canary_speaker_ids, speakers);
  return (
    <>
      <span className="name">{inWordsOfThePages(detail)}</span>
      <Link to="/applies/$jobId" params={{ jobId }}>
        {overviewText.failedApply}
      </Link>
      {detail.includes(CANARIES) && <ChooseCanaries />}
      {!isHopeless && <ApplyAgain revisionId={revisionId} />}
    </>
  );
}

function ApplyAgain({ revisionId }: { readonly revisionId: string }) {
  const may = useMay();
  const toast = useToast();
  const navigate = useNavigate();
  const applying = useMutation({
    mutationFn: () => client.post('/v1/apply', { body: { revision_id: revisionId } }),
    onSuccess: ({ id }) => void navigate({ to: '/applies/$jobId', params: { jobId: id } }),
    onError: (error) => toast(error.message),
  });
  if (!may('bgp:deploy:write')) return null;
  return (
    <Button look="quiet" isBusy={applying.isPending} onClick={() => applying.mutate()}>
      {text.retry}
    </Button>
  );
}
