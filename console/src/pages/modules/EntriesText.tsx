import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Skeleton } from '../../design/shown/Skeleton.tsx';
import { OFFERED, useToast } from '../../design/messages/Toasts.tsx';
import { lazy, Suspense, useEffect, useRef, useState, type DragEvent } from 'react';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { useStreamState } from '../../service/live.tsx';
import { nextTask } from '../../service/next-task.ts';
import { useMay } from '../../service/permissions.ts';
import { modulesQuery, type Module } from '../../service/queries.ts';
import { carryOut, isBusy, planWrites, type Plan, type Write } from '../../service/writes.ts';
import { entriesText } from '../../strings/entries.ts';
import { planText as planWords } from '../../strings/plan.ts';
import { saveFile } from '../../views/tables/csv.ts';
import { Removed } from '../../views/forms/Removed.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { ImportCounts, PlanView } from '../../views/revisions/PlanView.tsx';
import { Problem } from '../../views/faults/Problem.tsx';
import { Unsaved } from '../../views/questions/Unsaved.tsx';
import { readEntries } from './read-entries.ts';
import type { mergeText } from './merge-text.ts';
import { stepOf, TextProgress, type TextStep } from './TextProgress.tsx';
import { countsOf, mayDoHarm, SaveTextDialog, type Counts } from './SaveTextDialog.tsx';
import { faultsOf, isUnanswered } from './text-faults.ts';
import { TextTools } from './TextTools.tsx';
import type { EditorHandle, TextMode } from './TextEditor.tsx';
import { useTextFile } from './text-file.ts';
import './entries-text.css';

/** It is as large as all the rest of the page. */
const TextEditor = lazy(async () => ({ default: (await import('./TextEditor.tsx')).TextEditor }));

/** Seldom seen, and the page is near its budget. */
const LineFaults = lazy(async () => ({ default: (await import('./LineFaults.tsx')).LineFaults }));
const TheirChanges = lazy(async () => ({ default: (await import('./TheirChanges.tsx')).TheirChanges }));

interface Planned {
  readonly text: string;
  readonly mode: TextMode;
  /** What was stored then. */
  readonly base: string;
  readonly plan: Plan;
}

/** Shorter ones are previewed as they are written. */
const PLANNED_BY_ITSELF = 64 * 1024;
const PAUSE_MILLISECONDS = 700;
/** A revision that is being built after an earlier edit takes about as long. */
const BUSY_ATTEMPTS = 5;

const { text: words } = entriesText;

/** The entries of a module as CSV, with what the text would change beside it. */
export function EntriesText({ module }: { module: Module }) {
  const stored = useQuery({
    queryKey: textKey(module.id),
    queryFn: () => readEntries(module.id),
    ...{ staleTime: Infinity, gcTime: 0, refetchOnWindowFocus: false },
  });
  return <Loaded query={stored}>{(text) => <Editing module={module} stored={text} />}</Loaded>;
}

function textKey(moduleId: string): readonly string[] {
  return ['entries-text', moduleId];
}

function Editing({ module, stored }: { module: Module; stored: string }) {
  const editor = useRef<EditorHandle>(null);
  const [base, setBase] = useState(stored);
  const [mode, setMode] = useState<TextMode>('replace');
  const [isDirty, setDirty] = useState(false);
  const [isLarge, setLarge] = useState(stored.length > PLANNED_BY_ITSELF);
  const [theirs, setTheirs] = useState<Pick<ReturnType<typeof mergeText>, 'changed' | 'contested'> | null>(
    null,
  );
  const aside = useRef<HTMLElement>(null);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const queries = useQueryClient();
  const toast = useToast();
  const may = useMay();
  const writeOf = (text: string, how: TextMode): Write => ({
    ...{ method: 'POST', body: text },
    path: `/v1/modules/${module.id}/entries.csv?mode=${how}`,
  });
  /** One after the other: a plan holds what a save needs, and a newer text has a newer plan. */
  const inTurn = {
    scope: { id: `plan-${module.id}` },
    retry: (failures: number, fault: Error) => isBusy(fault) && failures < BUSY_ATTEMPTS,
  };
  const [step, setStep] = useState<TextStep | null>(null);
  /** Also of a preview that was still under way when somebody saved: nobody plans the same twice. */
  const latest = useRef<Planned>(undefined);
  const planOf = async (text: string, how: TextMode, what: TextStep['what']): Promise<Planned> => {
    setStep(stepOf(what, text));
    await nextTask();
    return (latest.current = { text, mode: how, base, plan: await planWrites([writeOf(text, how)]) });
  };
  const planning = useMutation({
    mutationFn: (how: TextMode) => planOf(editor.current!.text(), how, 'previewed'),
    ...inTurn,
  });
  /** What is asked before it is saved. */
  const [asked, setAsked] = useState<Planned | null>(null);
  const saving = useMutation({
    mutationFn: async (confirmed: Planned | null) => {
      const text = editor.current!.text();
      setStep(stepOf(confirmed === null ? 'planned' : 'stored', text));
      const now = await readEntries(module.id);
      if (mode === 'replace' && now !== base) {
        const merged = (await import('./merge-text.ts')).mergeText(base, text, now);
        setBase(now);
        setTheirs(merged);
        editor.current!.replace(merged.text);
        setAsked(null);
        return null;
      }
      const isSame = (one: Planned | null | undefined): one is Planned =>
        one?.text === text && one.mode === mode && one.base === base;
      if (!isSame(confirmed)) {
        const known = latest.current;
        const planned = isSame(known) ? known : await planOf(text, mode, 'planned');
        if (mayDoHarm(planned.plan, await queries.fetchQuery(modulesQuery), module)) {
          setAsked(planned);
          return null;
        }
      }
      setStep(stepOf('stored', text));
      const counts = (await carryOut(writeOf(text, mode))) as Counts;
      return { text, before: now, counts, isAsked: confirmed !== null };
    },
    onSuccess: async (saved) => {
      if (saved === null) return;
      const { created, updated, deleted } = saved.counts;
      const said = words.saved(created, updated, deleted);
      const after = readEntries(module.id);
      /** All of it, as the message says. */
      const restore = async (): Promise<string> => {
        const { takeBack } = await import('./undo-text.ts');
        return takeBack({ moduleId: module.id, ...saved, after: await after });
      };
      // What added alone left the focus in the text, where the key is a letter.
      if (saved.isAsked) toast(<Removed said={said} restore={restore} restored={String} />, OFFERED);
      else toast(said);
      setAsked(null);
      const now = await after;
      // What was written since stays, and is merged when it is saved.
      if (editor.current?.text() === saved.text) show(now);
      else setBase(now);
      seen.current = now;
      queries.setQueryData(textKey(module.id), now);
      void queries.invalidateQueries({ queryKey: ['modules'] });
      void queries.invalidateQueries({ queryKey: ['entries'] });
    },
    ...inTurn,
  });
  /** The list as it is, in place of whatever stands there. */
  const show = (text: string): void => {
    setBase(text);
    setMode('replace');
    editor.current?.replace(text, 'replace');
    clearTimeout(pause.current);
    setDirty(false);
    setTheirs(null);
    planning.reset();
  };
  const save = (): void => {
    clearTimeout(pause.current);
    if (saving.isPending) savesAgain.current = true;
    else if (isDirty) saving.mutate(null);
    else toast(words.nothingToSave);
  };
  /** Somebody has saved while a save was under way: what was written since is saved after it, unless that has a question or a fault. */
  const savesAgain = useRef(false);
  useEffect(() => {
    if (saving.isPending || !savesAgain.current) return;
    savesAgain.current = false;
    if (saving.isSuccess && saving.data !== null && isDirty) saving.mutate(null);
  });
  const canWrite = may('bgp:lists:write');
  useShortcut('Ctrl-Enter', entriesText.keys.plan, canWrite ? () => plan() : null);
  useShortcut('Ctrl-S', entriesText.keys.save, canWrite ? save : null);
  // It was read again, as after an undo. What somebody is typing stays, and is merged when it is saved.
  const seen = useRef(stored);
  useEffect(() => {
    if (seen.current === stored || isDirty) return;
    seen.current = stored;
    show(stored);
  });
  const plan = (how = mode): void => {
    clearTimeout(pause.current);
    saving.reset();
    planning.mutate(how);
  };
  /** Whether a save that nobody answered was made, the list says. */
  const lookForSave = async (): Promise<void> => {
    toast((await readEntries(module.id)) === base ? words.notSaved : words.perhapsSaved);
    plan();
  };
  // What failed since nobody answered is asked again once somebody does.
  const stream = useStreamState();
  const askAgain = useRef<() => void>(undefined);
  useEffect(() => {
    askAgain.current = isUnanswered(saving.error)
      ? () => void lookForSave()
      : isUnanswered(planning.error)
        ? () => plan()
        : undefined;
  });
  useEffect(() => {
    if (stream === 'open') askAgain.current?.();
  }, [stream]);
  /** @param how with an undo, what the text was before */
  const onChange = (how: TextMode): void => {
    setMode(how);
    const length = editor.current!.length();
    const long = length > PLANNED_BY_ITSELF;
    // To make a text of a hundred thousand lines at each key takes longer than the key may.
    const differs = length !== base.length || editor.current!.text() !== base;
    setLarge(long);
    setDirty(differs);
    clearTimeout(pause.current);
    if (!long && differs) pause.current = setTimeout(() => plan(how), PAUSE_MILLISECONDS);
  };
  const [unreadable, take] = useTextFile((text) => {
    if (isDirty) toast(words.fileTaken);
    editor.current!.replace(text, 'append');
    setDirty(true);
    void nextTask().then(() => plan('append'));
  });
  const error = saving.error ?? planning.error;
  const faults = faultsOf(error);
  return (
    <div
      className="entries-text"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event: DragEvent) => {
        event.preventDefault();
        if (canWrite) void take(event.dataTransfer.files[0]);
      }}
    >
      <TextTools
        mode={mode}
        onMode={(how) => {
          setMode(how);
          editor.current!.setMode(how);
          if (isDirty && !isLarge) plan(how);
        }}
        canWrite={canWrite}
        isDirty={isDirty}
        onFile={(file) => void take(file)}
        onExport={() => saveFile(`${module.name}.csv`, editor.current!.text(), 'text/csv')}
        onRevert={() => {
          show(base);
          saving.reset();
          toast(words.reverted);
        }}
        preview={{ isBusy: planning.isPending, begin: () => plan() }}
        save={{ isBusy: saving.isPending, begin: save }}
      />
      {isDirty && !canWrite && (
        <p className="banner" role="status">
          {words.mayNotSave}
        </p>
      )}
      {unreadable !== null && (
        <p className="banner" role="alert">
          {unreadable}
        </p>
      )}
      <Suspense fallback={<Skeleton lines={12} />}>
        <TextEditor
          ref={editor}
          label={words.label}
          initial={stored}
          isReadOnly={!canWrite}
          faults={faults}
          onChange={onChange}
        />
      </Suspense>
      <aside
        ref={aside}
        className="entries-text-plan"
        aria-label={planWords.title}
        aria-live="polite"
        tabIndex={-1}
      >
        <h2>{planWords.title}</h2>
        {theirs !== null && (
          <Suspense fallback={null}>
            <TheirChanges names={theirs.changed} contested={theirs.contested} />
          </Suspense>
        )}
        {/* Before what was wrong with an earlier text. */}
        {(planning.isPending || saving.isPending) && step !== null ? (
          <TextProgress key={step.what} step={step} />
        ) : error !== null && faults.length === 0 ? (
          <Problem error={error} />
        ) : error !== null ? (
          <Suspense fallback={null}>
            <LineFaults
              {...{ faults, header: base.split('\n', 1)[0]! }}
              onOpen={(line) => editor.current!.goTo(line)}
              text={() => editor.current!.text()}
              onCorrect={(text) => {
                editor.current!.replace(text);
                plan();
                editor.current!.element().focus();
              }}
            />
          </Suspense>
        ) : planning.data === undefined ? (
          <p className="muted">
            {isDirty && isLarge ? words.large : canWrite || isDirty ? words.unchanged : words.readOnly}
          </p>
        ) : (
          <>
            <ImportCounts counts={countsOf(planning.data.plan)} />
            <PlanView plan={planning.data.plan} />
          </>
        )}
        {planning.data === undefined && error === null && canWrite && !saving.isPending && (
          <p className="muted">
            {words.what} {words.drop}
          </p>
        )}
      </aside>
      <SaveTextDialog
        plan={asked?.plan ?? null}
        step={saving.isPending ? step : null}
        error={saving.error}
        onClose={() => setAsked(null)}
        onSave={() => saving.mutate(asked)}
        // In the text, the key that takes a deletion back would be a letter.
        finalFocus={() => (saving.data === null ? editor.current!.element() : aside.current)}
      />
      <Unsaved isDirty={isDirty} what={words.unsaved} />
    </div>
  );
}
