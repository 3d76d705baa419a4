import { useRef } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import type { Plan } from '../../service/writes.ts';
import { text } from '../../strings/english.ts';
import { planText } from '../../strings/plan.ts';
import { Problem } from '../faults/Problem.tsx';
import { PlanView } from './PlanView.tsx';

interface AskPlanDialogProps {
  readonly action: string;
  /** What would change of routes; null: it is about none. */
  readonly plan: Plan | null;
  /** How it is taken back. */
  readonly back: string;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  /** What is written, in lines. */
  readonly changes?: readonly string[];
  /** What follows that no plan has; null: nothing. */
  readonly warning?: string | null;
}

/** A plan that takes something away, and the question whether to carry it out. The focus begins where nothing happens. */
export function AskPlanDialog(props: AskPlanDialogProps) {
  const { action, plan, back, isBusy, error, onClose, onConfirm, changes = [], warning = null } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <Dialog title={planText.title} isOpen onClose={onClose} initialFocus={cancel}>
      {changes.length > 0 && (
        <ul>
          {changes.map((line) => (
            <li key={line} className="name">
              {line}
            </li>
          ))}
        </ul>
      )}
      {warning !== null && <p className="banner">{warning}</p>}
      <p className="muted">{back}</p>
      {plan !== null && <PlanView plan={plan} />}
      {error !== null && <Problem error={error} />}
      <div className="dialog-actions">
        <Button ref={cancel} onClick={onClose}>
          {text.cancel}
        </Button>
        <Button look="danger" isBusy={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
