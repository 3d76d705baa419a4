import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import { modulesQuery } from '../../service/queries.ts';
import {
  carryOut,
  isBusy,
  isGone,
  isOutdated,
  readVersioned,
  type Members,
  type Versioned,
  type Write,
} from '../../service/writes.ts';
import { text } from '../../strings/english.ts';
import { formText } from '../../strings/forms.ts';
import { Loaded } from '../page/Loaded.tsx';
import { showWithFocus, useFaultInSight } from './fault-in-sight.ts';
import { isLeft, Unsaved } from '../questions/Unsaved.tsx';
import { FormProblem } from './FormProblem.tsx';
import type { Again } from './MakeAgain.tsx';
import { questionOf, type Question, type WarningOf } from './question.ts';
import { bodyOf, changesOf, Fields, fieldsFor, isSame, newDraft, type FormField } from './RecordForm.tsx';

/** Seldom seen. */
const LatestChange = lazy(async () => ({ default: (await import('./LatestChange.tsx')).LatestChange }));
const MakeAgain = lazy(async () => ({ default: (await import('./MakeAgain.tsx')).MakeAgain }));
const BothVersions = lazy(async () => ({ default: (await import('./BothVersions.tsx')).BothVersions }));
const AskChanges = lazy(async () => ({ default: (await import('./AskChanges.tsx')).AskChanges }));

export interface CreateDialogProps {
  readonly title: string;
  readonly path: string;
  readonly fields: readonly FormField[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: (created: Members) => void;
  readonly children?: ReactNode;
}

/** Makes a resource. What is left empty has its default. */
export function CreateDialog({ title, path, fields, isOpen, onClose, onDone, children }: CreateDialogProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      {children}
      <CreateForm path={path} fields={fields} onClose={onClose} onDone={onDone} />
    </Dialog>
  );
}

interface CreateFormProps {
  readonly path: string;
  /** Members that nobody is asked for. */
  readonly fixed?: Members;
  readonly action?: string;
  readonly fields: readonly FormField[];
  readonly onClose?: () => void;
  readonly onDone: (created: Members) => void;
}

export function CreateForm(props: CreateFormProps) {
  const { path, fields, fixed = {}, action = formText.create, onClose, onDone } = props;
  const queries = useQueryClient();
  const [begun] = useState(() => newDraft(fields));
  const [draft, setDraft] = useState(begun);
  /** From the event that sends it on, before another key can come; a mutation says so a moment later. */
  const [isSent, setSent] = useState(false);
  const creating = useMutation({
    mutationFn: () => {
      const said = Object.entries(bodyOf(fields, draft)).filter(([, value]) => value !== null);
      return carryOut({
        method: 'POST',
        path,
        body: { ...fixed, ...Object.fromEntries(said) },
      }) as Promise<Members>;
    },
    onSuccess: (created) => {
      void queries.invalidateQueries();
      onDone(created);
    },
    // One that is made gives way to what follows it: what is typed until then would be lost.
    onError: () => setSent(false),
  });
  const form = useRef<HTMLFormElement>(null);
  useFaultInSight(form, creating.error);
  return (
    <form
      ref={form}
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        setSent(true);
        creating.mutate();
      }}
    >
      <Fields {...{ fields, draft, isSent }} onChange={setDraft} error={creating.error} />
      {creating.error !== null && <FormProblem error={creating.error} fields={fields} draft={draft} />}
      <Unsaved isDirty={!isSame(draft, begun) && isLeft(creating)} />
      <Actions action={action} isBusy={isSent} onClose={onClose} />
    </form>
  );
}

interface EditOptions {
  /** Where the focus begins; undefined: in the first. */
  readonly field?: string | undefined;
  /** What else is to be known before the changes of it are saved; null: nothing. */
  readonly warningOf?: WarningOf | undefined;
  /** What makes it again where somebody else has deleted it; null: nothing does. */
  readonly again?: Again | null | undefined;
}

export interface EditDialogProps extends EditOptions {
  readonly title: string;
  /** Of the resource itself. */
  readonly path: string;
  readonly fields: readonly FormField[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Changes a resource as it was read: what somebody else changed meanwhile is shown beside. */
export function EditDialog({ title, isOpen, ...form }: EditDialogProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={form.onClose}>
      <EditForm {...form} />
    </Dialog>
  );
}

interface EditFormProps extends EditOptions {
  readonly path: string;
  readonly fields: readonly FormField[];
  readonly onClose?: () => void;
  readonly onDone: () => void;
}

export function EditForm({ path, fields, ...form }: EditFormProps) {
  const read = useQuery({
    queryKey: ['versioned', path],
    queryFn: () => readVersioned(path),
    ...{ staleTime: Infinity, gcTime: 0, refetchOnWindowFocus: false },
  });
  return (
    <Loaded query={read}>
      {(version) => (
        <VersionForm
          {...{ ...form, path, version }}
          fields={fields.filter(({ isFixed }) => isFixed !== true)}
        />
      )}
    </Loaded>
  );
}

/** A revision that is being built after an earlier edit takes about as long. */
const BUSY_ATTEMPTS = 5;

interface VersionFormProps extends EditFormProps {
  readonly version: Versioned;
}

function VersionForm(props: VersionFormProps) {
  const { path, version, fields, field, warningOf = () => null, again = null, onClose, onDone } = props;
  const queries = useQueryClient();
  const [base, setBase] = useState(version);
  const [draft, setDraft] = useState(version.members);
  const [theirs, setTheirs] = useState<Versioned | null>(null);
  const adopt = (now: Versioned): void => {
    setBase(now);
    setDraft(now.members);
    setTheirs(null);
  };
  const isDirty = Object.keys(changesOf(base.members, bodyOf(fields, draft))).length > 0;
  /** What is asked before it is saved. */
  const [asked, setAsked] = useState<Question | null>(null);
  const [isMadeAgain, setMadeAgain] = useState(false);
  /** Why what was deleted is not made again. */
  const [refused, setRefused] = useState<Error | null>(null);
  /** As of a new one: what is stored is what was planned, and what the window about it shows. */
  const [isSent, setSent] = useState(false);
  const saving = useMutation({
    mutationFn: async (isConfirmed: boolean): Promise<Question | null> => {
      const changes = changesOf(base.members, bodyOf(fields, draft));
      if (Object.keys(changes).length === 0) return null;
      const write: Write = { method: 'PATCH', path, body: changes };
      if (!isConfirmed) {
        const question = await questionOf(write, warningOf, () => queries.fetchQuery(modulesQuery));
        if (question !== null) return question;
      }
      const save = (etag: string | null): Promise<unknown> =>
        carryOut(write, etag === null ? {} : { 'if-match': etag });
      try {
        await save(base.etag);
      } catch (fault) {
        if (!isOutdated(fault as Error)) throw fault;
        const now = await readVersioned(path);
        // Nothing that stands in the form was changed, as where it was deleted and came back.
        if (Object.keys(changesOf(base.members, bodyOf(fields, now.members))).length > 0) throw fault;
        await save(now.etag);
      }
      return null;
    },
    retry: (failures, fault) => isBusy(fault) && failures < BUSY_ATTEMPTS,
    onSuccess: async (question) => {
      setAsked(question);
      if (question !== null) return;
      void queries.invalidateQueries();
      // A form that stays goes on from what is stored now.
      if (onClose === undefined) adopt(await readVersioned(path));
      onDone();
    },
    onError: async (error) => {
      if (!isOutdated(error)) return;
      setAsked(null);
      const now = await readVersioned(path);
      setTheirs(now);
      // What they changed and I did not is theirs; a save from here on means to overwrite the rest.
      const mine = changesOf(base.members, bodyOf(fields, draft));
      setDraft({ ...now.members, ...mine });
      setBase(now);
    },
    onSettled: () => setSent(false),
  });
  const send = (isConfirmed: boolean): void => {
    setSent(true);
    setRefused(null);
    saving.mutate(isConfirmed);
  };
  const form = useRef<HTMLFormElement>(null);
  const fault = refused ?? saving.error;
  useFaultInSight(form, asked === null && !isOutdated(fault) ? fault : null);
  const begun = useRef(field);
  useEffect(() => {
    const at = fieldsFor(fields, version.members).findIndex(({ name }) => name === begun.current);
    const place = form.current!.querySelectorAll('.field')[at];
    const control = place?.querySelector<HTMLElement>('input, select, textarea') ?? null;
    begun.current = undefined;
    if (control !== null) return showWithFocus(control, place);
    // The window had the focus itself while there was no field yet.
    if (document.activeElement?.getAttribute('role') !== 'dialog') return;
    form.current!.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, [fields, version]);
  return (
    <form
      ref={form}
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        // A window that asks is drawn elsewhere, and yet its events come through here.
        if (event.target !== event.currentTarget) return;
        // Enter in a field overwrites nothing: that has a button of its own.
        const conflict = event.currentTarget.querySelector<HTMLElement>('.both-versions');
        if (theirs === null) send(false);
        else if (conflict !== null) showWithFocus(conflict);
      }}
    >
      <Fields
        {...{ fields, draft }}
        isSent={isSent || asked !== null || isMadeAgain}
        onChange={setDraft}
        error={fault}
      />
      {theirs !== null && (
        <Suspense>
          <BothVersions
            path={path}
            fields={fields}
            theirs={theirs.members}
            yours={draft}
            isBusy={saving.isPending}
            onTake={() => {
              if (isSent) return;
              setDraft(theirs.members);
              setTheirs(null);
              form.current!.querySelector<HTMLElement>('input, select, textarea')?.focus();
            }}
            onOverwrite={() => send(false)}
          />
        </Suspense>
      )}
      {saving.error !== null && !isOutdated(saving.error) && asked === null && (
        <FormProblem error={saving.error} fields={fields} draft={draft}>
          {/* In sight with what was refused, and not below it. */}
          {isGone(saving.error) && (
            <Suspense>
              {again !== null && (
                <MakeAgain {...{ again, fields, draft }} onBegun={setMadeAgain} onRefused={setRefused} />
              )}
              <LatestChange path={path} isGone />
            </Suspense>
          )}
        </FormProblem>
      )}
      <Unsaved isDirty={isDirty && !saving.isPending && !isMadeAgain} isWritten={isDirty} />
      <Actions action={theirs === null ? formText.save : null} isBusy={isSent} onClose={onClose} />
      {asked !== null && (
        <Suspense>
          <AskChanges
            {...{ ...asked, fields, before: base.members, after: bodyOf(fields, draft) }}
            isBusy={saving.isPending}
            error={saving.error}
            onClose={() => setAsked(null)}
            onConfirm={() => send(true)}
          />
        </Suspense>
      )}
    </form>
  );
}

interface ActionsProps {
  /** Null: what can be done is beside what has to be decided first. */
  readonly action: string | null;
  readonly isBusy: boolean;
  readonly onClose: (() => void) | undefined;
}

function Actions({ action, isBusy, onClose }: ActionsProps) {
  return (
    <div className="dialog-actions">
      {onClose !== undefined && <Button onClick={onClose}>{text.cancel}</Button>}
      {action !== null && (
        <Button type="submit" look="primary" isBusy={isBusy}>
          {action}
        </Button>
      )}
    </div>
  );
}
