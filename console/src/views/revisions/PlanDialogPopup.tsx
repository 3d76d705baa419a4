import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, type ReactNode } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import {
  carryOutAll,
  carryOutTogether,
  isBusy,
  plannedQuery,
  type Plan,
  type Write,
} from '../../service/writes.ts';
import { text } from '../../strings/english.ts';
import { planText } from '../../strings/plan.ts';
import { Loaded } from '../page/Loaded.tsx';
import { PlanView } from './PlanView.tsx';
import { Problem } from '../faults/Problem.tsx';

export interface PlanDialogProps {
  readonly title: string;
  readonly action: string;
  readonly look?: 'primary' | 'danger';
  readonly writes: readonly Write[];
  /** What must not wait until its plan is there, as whatever only stops routers from being sent something. */
  readonly isUrgent?: boolean;
  /** All of them are made, or none. */
  readonly isTogether?: boolean;
  /** How it is taken back; null: it takes nothing away. */
  readonly back: string | null;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: (answers: readonly unknown[]) => void;
  /** Its plan in words of its own; default: {@link PlanView}. */
  readonly view?: (plan: Plan) => ReactNode;
  readonly children?: ReactNode;
}

/** Writes with their plan: they are made once somebody can see what they would change. The focus begins where nothing happens. */
export function PlanDialogPopup(props: PlanDialogProps) {
  const { title, isOpen, onClose } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} initialFocus={cancel}>
      <Planned {...props} cancel={cancel} />
    </Dialog>
  );
}

/** The longest plan takes no more time than these. */
const BUSY_ATTEMPTS = 5;

interface PlannedProps extends PlanDialogProps {
  readonly cancel: React.RefObject<HTMLButtonElement | null>;
}

function Planned(props: PlannedProps) {
  const {
    action,
    look = 'primary',
    writes,
    isUrgent = false,
    isTogether = false,
    onClose,
    onDone,
    view = (data) => <PlanView plan={data} />,
    back,
    children,
    cancel,
  } = props;
  const queries = useQueryClient();
  const plan = useQuery(plannedQuery(writes));
  const making = useMutation({
    mutationFn: () => (isTogether ? carryOutTogether(writes) : carryOutAll(writes)),
    // The plan of somebody else holds what the write needs. Of several, the first may be made.
    retry: (failures, fault) =>
      (isTogether || writes.length === 1) && isBusy(fault) && failures < BUSY_ATTEMPTS,
    onSuccess: (answers) => {
      void queries.invalidateQueries();
      onDone(answers);
    },
  });
  return (
    <>
      {children}
      {back !== null && <p className="muted">{back}</p>}
      <Loaded query={plan} what={planText.computing}>
        {view}
      </Loaded>
      {/* Where the plan is refused as well, that says the same. */}
      {making.error !== null && plan.error === null && (
        <Problem error={making.error} onRetry={() => making.mutate()} />
      )}
      <div className="dialog-actions">
        <Button ref={cancel} onClick={onClose}>
          {text.cancel}
        </Button>
        <Button
          look={look}
          disabled={plan.error !== null}
          // Whoever is there early stays there, and does nothing that they have not seen.
          isBusy={making.isPending || (plan.isPending && !isUrgent)}
          onClick={() => making.mutate()}
        >
          {action}
        </Button>
      </div>
    </>
  );
}
