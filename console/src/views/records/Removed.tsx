import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../design/Button.tsx';
import { formText } from '../../strings/forms.ts';

interface RemovedProps {
  /** What was deleted. */
  readonly said: string;
  readonly restore: () => Promise<unknown>;
}

/** In a toast: what was deleted comes back by a key, as long as the toast is there. */
export function Removed({ said, restore }: RemovedProps) {
  const queries = useQueryClient();
  const restoring = useMutation({
    mutationFn: restore,
    onSuccess: () => void queries.invalidateQueries(),
  });
  if (restoring.isSuccess) return formText.restored;
  if (restoring.error !== null) return restoring.error.message;
  return (
    <>
      {said}{' '}
      <Button look="quiet" isBusy={restoring.isPending} onClick={() => restoring.mutate()}>
        {formText.undo}
      </Button>
    </>
  );
}
