import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { carryOut, type Members, type Write } from '../../service/writes.ts';
import { formText } from '../../strings/forms.ts';
import { Problem } from '../faults/Problem.tsx';

/** How a thing that was deleted is there again, with what somebody was writing. */
export interface Again {
  /** Brings it back, or makes it once more. */
  readonly write: Write;
  /** @param made what the service says of it */
  readonly onMade: (made: Members) => void;
}

interface MakeAgainProps {
  readonly again: Again;
  /** As they stand in the form. */
  readonly changes: Members;
  /** Whether that is under way, or done: nothing is lost by then. */
  readonly onBegun: (isBegun: boolean) => void;
}

/** In a form whose thing somebody else has deleted. */
export function MakeAgain({ again: { write, onMade }, changes, onBegun }: MakeAgainProps) {
  const queries = useQueryClient();
  const making = useMutation({
    mutationFn: () => {
      const members = { ...(write.body as Members), ...changes };
      const said = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
      return carryOut({ ...write, body: Object.fromEntries(said) }) as Promise<Members>;
    },
    onMutate: () => onBegun(true),
    onError: () => onBegun(false),
    onSuccess: (made) => {
      void queries.invalidateQueries();
      onMade(made);
    },
  });
  const button = useRef<HTMLParagraphElement>(null);
  // It comes a moment after what was refused, which is in sight by then.
  useEffect(() => {
    // What browsers answer is a promise in some, and nothing that an effect may return.
    button.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <>
      <p>{formText.againWhat}</p>
      {making.error !== null && <Problem error={making.error} />}
      <p ref={button}>
        <Button isBusy={making.isPending} onClick={() => making.mutate()}>
          {formText.again}
        </Button>
      </p>
    </>
  );
}
