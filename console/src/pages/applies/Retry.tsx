import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../design/controls/Button.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../service/permissions.ts';
import type { Job } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import type { SpeakerState } from './speaker-states.ts';

/** What an apply left to do: a retry goes to these speakers. */
export const LEFT: ReadonlySet<SpeakerState['state']> = new Set([
  ...(['failed', 'unfinished', 'unreachable', 'partial', 'undone', 'skipped'] as const),
]);

/** Applies the revision again where it was not taken; everybody else stays as they are. */
export function Retry({ job }: { job: Job }) {
  const toast = useToast();
  const navigate = useNavigate();
  const may = useMay();
  const retrying = useMutation({
    mutationFn: () => client.post('/v1/apply', { body: { retry_of: job.id } }),
    onSuccess: ({ id }) => {
      toast(text.applies.retried);
      void navigate({ to: '/applies/$jobId', params: { jobId: id } });
    },
    onError: (error) => toast(error.message),
  });
  if (!may('bgp:deploy:write')) return null;
  return (
    <Button isBusy={retrying.isPending} onClick={() => retrying.mutate()}>
      {text.applies.retry}
    </Button>
  );
}
