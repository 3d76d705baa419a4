import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { carryOut, type Members, type Write } from '../../service/writes.ts';
import { formText } from '../../strings/forms.ts';
import { FormProblem } from './FormProblem.tsx';
import { bodyOf, type FormField } from './RecordForm.tsx';

/** How a thing that was deleted is there again, with what somebody was writing. */
export interface Again {
  /** Brings it back, or makes it once more. */
  readonly write: Write;
  /** @param made what the service says of it */
  readonly onMade: (made: Members) => void;
}

interface MakeAgainProps {
  readonly again: Again;
  readonly fields: readonly FormField[];
  /** What stands in the form. */
  readonly draft: Members;
  /** Whether that is under way, or done: nothing is lost by then. */
  readonly onBegun: (isBegun: boolean) => void;
  /** Why it is not made, which is to be seen at its field; null: it is being tried. */
  readonly onRefused: (error: Error | null) => void;
}

/** In a form whose thing somebody else has deleted. */
export function MakeAgain({ again: { write, onMade }, fields, draft, onBegun, onRefused }: MakeAgainProps) {
  const queries = useQueryClient();
  const making = useMutation({
    mutationFn: () => {
      const members = { ...(write.body as Members), ...bodyOf(fields, draft) };
      const said = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
      return carryOut({ ...write, body: Object.fromEntries(said) }) as Promise<Members>;
    },
    onMutate: () => {
      onRefused(null);
      onBegun(true);
    },
    onError: (error) => {
      onRefused(error);
      onBegun(false);
    },
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
      {making.error !== null && <FormProblem error={making.error} {...{ fields, draft }} />}
      <p ref={button}>
        <Button isBusy={making.isPending} onClick={() => making.mutate()}>
          {formText.again}
        </Button>
      </p>
    </>
  );
}
