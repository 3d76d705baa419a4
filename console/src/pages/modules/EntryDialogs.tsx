import type { Schemas } from '@prefixcast/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import { OFFERED, useToast } from '../../design/messages/Toasts.tsx';
import { communitiesQuery, modulesQuery, type Module } from '../../service/queries.ts';
import { carryOut, planUnlessRefused, planWrites, type Plan, type Write } from '../../service/writes.ts';
import { entriesText } from '../../strings/entries.ts';
import { text } from '../../strings/english.ts';
import { takesAway } from '../../views/revisions/harm.ts';
import { isRolledBack } from '../../views/revisions/holds.ts';
import { PlanDialog } from '../../views/revisions/PlanDialog.ts';
import { PlanView } from '../../views/revisions/PlanView.tsx';
import { FormProblem } from '../../views/forms/FormProblem.tsx';
import { isLeft, Unsaved } from '../../views/questions/Unsaved.tsx';
import { EditDialog } from '../../views/forms/record-dialogs.ts';
import { useFaultInSight } from '../../views/forms/fault-in-sight.ts';
import {
  bodyAgain,
  bodyOf,
  Fields,
  isSame,
  newDraft,
  type FormField,
} from '../../views/forms/RecordForm.tsx';
import { communityChoices } from './module-fields.ts';
import { UndoRemoval } from './UndoRemoval.tsx';
import { entriesPath, entryFields, keyOf, type Entry } from './entry-kinds.ts';

/** Seldom needed, and the page is near its budget. */
const AskPlanDialog = lazy(async () => ({
  default: (await import('../../views/revisions/AskPlanDialog.tsx')).AskPlanDialog,
}));
const MoveDialog = lazy(async () => ({ default: (await import('./MoveDialog.tsx')).MoveDialog }));

export type EntryTask =
  | { readonly what: 'add' }
  | { readonly what: 'edit'; readonly entry: Entry }
  | {
      readonly what: 'remove' | 'enable' | 'disable' | 'move';
      readonly entries: readonly Entry[];
      /** How many more there were when the window opened. */
      readonly gone?: number;
      readonly onDone: () => void;
    };

export interface EntryDialogsProps {
  /** Always, while there is a task; see `later`. */
  readonly isOpen: boolean;
  readonly module: Module;
  readonly task: EntryTask;
  readonly onClose: () => void;
}

export function EntryDialogs({ module, task, onClose }: EntryDialogsProps) {
  const { data: communities = [] } = useQuery(communitiesQuery);
  const toast = useToast();
  const fields = entryFields(module.type, communityChoices(communities));
  const path = entriesPath(module);
  const finish = (said: string): void => {
    onClose();
    toast(said);
  };
  const finishRemoval = ({ deleted, batch }: Schemas['DeletedEntries']): void => {
    onClose();
    toast(<UndoRemoval moduleId={module.id} said={entriesText.removed(deleted)} batch={batch} />, OFFERED);
  };
  switch (task.what) {
    case 'add':
      return (
        <Dialog title={entriesText.addTitle} isOpen onClose={onClose}>
          <AddForm {...{ path, fields, onClose }} onDone={(entry) => finish(addedText(module, entry))} />
        </Dialog>
      );
    case 'edit':
      return (
        <EditDialog
          title={entriesText.editTitle(keyOf(module.type, task.entry))}
          path={`${path}/${task.entry.id}`}
          fields={fields}
          again={{
            write: { method: 'POST', path, body: bodyAgain(task.entry, fields) },
            onMade: () => finish(entriesText.added(keyOf(module.type, task.entry))),
          }}
          isOpen
          onClose={onClose}
          onDone={() => finish(entriesText.changed(keyOf(module.type, task.entry)))}
        />
      );
    case 'move':
      return (
        <Suspense>
          <MoveDialog module={module} entries={task.entries} onClose={onClose} onDone={task.onDone} />
        </Suspense>
      );
    default: {
      const ids = task.entries.map(({ id }) => id);
      const names = task.entries.map((entry) => keyOf(module.type, entry));
      const { what, gone = 0 } = task;
      const writes: Readonly<Record<typeof what, Write>> = {
        remove: { method: 'DELETE', path, body: { ids } },
        enable: { method: 'PATCH', path, body: { ids, patch: { enabled: true } } },
        disable: { method: 'PATCH', path, body: { ids, patch: { enabled: false } } },
      };
      return (
        <PlanDialog
          title={entriesText[`${task.what}Title`](names)}
          action={entriesText[task.what]}
          look={task.what === 'remove' ? 'danger' : 'primary'}
          writes={[writes[task.what]]}
          back={{ remove: entriesText.removeBack, disable: entriesText.disableBack, enable: null }[what]}
          isOpen
          onClose={onClose}
          onDone={([answer]) => {
            task.onDone();
            if (task.what === 'remove') finishRemoval(answer as Schemas['DeletedEntries']);
            else finish(entriesText[task.what === 'enable' ? 'turnedOn' : 'turnedOff'](ids.length));
          }}
        >
          {gone > 0 && (
            <p className="banner" role="status">
              {entriesText.gone(gone)}
            </p>
          )}
          {names.length > 1 && <p className="name">{entriesText.which(names)}</p>}
        </PlanDialog>
      );
    }
  }
}

/** What is collected is planned by nobody, so that a plan cannot say that a hold keeps it from routers. Ranges are planned, and asked about. */
function addedText(module: Module, entry: string): string {
  if (module.held === null) return entriesText.added(entry);
  if (!isRolledBack(module)) return entriesText.addedToHeld(entry);
  return module.type === 'IP_RANGES' ? entriesText.added(entry) : entriesText.addedToRolledBack(entry);
}

interface AddFormProps {
  readonly path: string;
  readonly fields: readonly FormField[];
  readonly onClose: () => void;
  /** Called with the name of the entry. */
  readonly onDone: (entry: string) => void;
}

/** A new entry: what it would change can be seen before it is made, and is asked where it does more than add. */
function AddForm({ path, fields, onClose, onDone }: AddFormProps) {
  const queries = useQueryClient();
  const [begun] = useState(() => newDraft(fields));
  const [draft, setDraft] = useState(begun);
  /** What is asked before it is made. */
  const [asked, setAsked] = useState<Plan | null>(null);
  /** Set by the event that sends it, before another key can come: what is made is what was planned. */
  const [isSent, setSent] = useState(false);
  const write = (): Write => {
    const said = Object.entries(bodyOf(fields, draft)).filter(([, value]) => value !== null);
    return { method: 'POST', path, body: Object.fromEntries(said) };
  };
  const entry = (): string => String(bodyOf(fields, draft)[fields[0]!.name]);
  const planning = useMutation({ mutationFn: () => planWrites([write()]) });
  const saving = useMutation({
    mutationFn: async (isConfirmed: boolean): Promise<Plan | null> => {
      if (!isConfirmed) {
        const plan = planning.data ?? (await planUnlessRefused(write()));
        // The first one after a rollback ends it, and what else has changed since comes with it.
        if (plan !== null && takesAway(plan, await queries.fetchQuery(modulesQuery))) return plan;
      }
      await carryOut(write());
      return null;
    },
    onSuccess: (plan) => {
      setAsked(plan);
      if (plan !== null) return;
      void queries.invalidateQueries();
      onDone(entry());
    },
    onSettled: () => setSent(false),
  });
  const send = (isConfirmed: boolean): void => {
    setSent(true);
    saving.mutate(isConfirmed);
  };
  const error = saving.error ?? planning.error;
  const form = useRef<HTMLFormElement>(null);
  useFaultInSight(form, asked === null ? error : null);
  const effect = useRef<HTMLDivElement>(null);
  // Below the last field, where the button that asked for it would hide it.
  useEffect(() => {
    effect.current?.scrollIntoView({ block: 'start' });
  }, [planning.data]);
  return (
    <>
      <form
        ref={form}
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          // A window that asks is drawn elsewhere, and yet its events come through here.
          if (event.target === event.currentTarget) send(false);
        }}
      >
        <Fields
          fields={fields}
          draft={draft}
          isSent={isSent || asked !== null}
          onChange={(next) => {
            setDraft(next);
            planning.reset();
            saving.reset();
          }}
          error={error}
        />
        {error !== null && asked === null && <FormProblem error={error} fields={fields} draft={draft} />}
        <Unsaved isDirty={!isSame(draft, begun) && (asked !== null || isLeft(saving))} />
        {planning.data !== undefined && error === null && (
          <div ref={effect} role="status">
            <PlanView plan={planning.data} />
          </div>
        )}
        <div className="dialog-actions">
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button isBusy={planning.isPending} onClick={() => planning.mutate()}>
            {entriesText.preview}
          </Button>
          <Button type="submit" look="primary" isBusy={isSent}>
            {entriesText.save}
          </Button>
        </div>
      </form>
      {asked !== null && (
        <Suspense>
          <AskPlanDialog
            action={entriesText.save}
            plan={asked}
            back={entriesText.addedBack}
            isBusy={saving.isPending}
            error={saving.error}
            onClose={() => setAsked(null)}
            onConfirm={() => send(true)}
          />
        </Suspense>
      )}
    </>
  );
}
