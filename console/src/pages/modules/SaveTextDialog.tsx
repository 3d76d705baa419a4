import type { Schemas } from '@prefixcast/client';
import { useRef } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import type { Module } from '../../service/queries.ts';
import type { Plan } from '../../service/writes.ts';
import { entriesText } from '../../strings/entries.ts';
import { text } from '../../strings/english.ts';
import { plannedHolds } from '../../views/revisions/holds.ts';
import { ImportCounts, PlanView } from '../../views/revisions/PlanView.tsx';
import { Problem } from '../../views/faults/Problem.tsx';
import { TextProgress, type TextStep } from './TextProgress.tsx';

export type Counts = Schemas['EntryImport'];

/** What the import of a text would answer. */
export function countsOf({ answers }: Plan): Counts {
  return answers[0]!.body as Counts;
}

/** Whether somebody should look at it before it is done: a list that is lost is more than a line that has come. */
export function mayDoHarm(plan: Plan, modules: readonly Module[], { purpose }: Module): boolean {
  const { revision, summary } = plan.effect;
  const { caused, freed } = plannedHolds(revision, modules);
  const held = (revision?.findings.length ?? 0) + caused.length;
  const { deleted, updated } = countsOf(plan);
  // A route that a new neighbour makes part of a wider one is withdrawn as well.
  const lost = purpose === 'announce' && updated === 0 ? 0 : summary.withdrawn;
  return deleted + lost + held + freed.length > 0;
}

interface SaveTextDialogProps {
  /** Null: there is nothing to ask. */
  readonly plan: Plan | null;
  /** Of a save that is under way. */
  readonly step: TextStep | null;
  readonly error: Error | null;
  readonly onClose: () => void;
  readonly onSave: () => void;
  readonly finalFocus: () => HTMLElement | null;
}

/** What a save of the text would do, where it deletes entries or withdraws routes. The focus begins where nothing happens. */
export function SaveTextDialog(props: SaveTextDialogProps) {
  const { plan, step, error, onClose, onSave, finalFocus } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      title={entriesText.text.saveTitle}
      isOpen={plan !== null}
      onClose={onClose}
      initialFocus={cancel}
      finalFocus={finalFocus}
    >
      {plan !== null && (
        <>
          <ImportCounts counts={countsOf(plan)} />
          <p className="muted">{entriesText.text.saveBack}</p>
          <PlanView plan={plan} />
        </>
      )}
      {error !== null && <Problem error={error} />}
      {step !== null && <TextProgress key={step.what} step={step} />}
      <div className="dialog-actions">
        <Button ref={cancel} onClick={onClose}>
          {text.cancel}
        </Button>
        <Button look="danger" isBusy={step !== null} onClick={onSave}>
          {entriesText.save}
        </Button>
      </div>
    </Dialog>
  );
}
