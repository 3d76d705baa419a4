import type { Schemas } from '@prefixcast/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Control } from '../../design/controls/Control.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import { OFFERED, useToast } from '../../design/messages/Toasts.tsx';
import { modulesQuery, type Module } from '../../service/queries.ts';
import { carryOutTogether, isBusy, plannedQuery, type Write } from '../../service/writes.ts';
import { entriesText } from '../../strings/entries.ts';
import { text } from '../../strings/english.ts';
import { planText } from '../../strings/plan.ts';
import { Problem } from '../../views/faults/Problem.tsx';
import { Removed } from '../../views/forms/Removed.tsx';
import { bodyAgain } from '../../views/forms/RecordForm.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { PlanView } from '../../views/revisions/PlanView.tsx';
import { entriesPath, entryFields, keyOf, type Entry } from './entry-kinds.ts';

const { move: words } = entriesText;

/** A revision that is being built after an earlier edit takes about as long. */
const BUSY_ATTEMPTS = 5;

interface MoveDialogProps {
  readonly module: Module;
  readonly entries: readonly Entry[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Brings entries into another module and out of this one, both or neither: in one revision, so that no route that stays leaves on the way. */
export function MoveDialog({ module, entries, onClose, onDone }: MoveDialogProps) {
  const { data: modules = [] } = useQuery(modulesQuery);
  const others = modules.filter(({ id, type }) => id !== module.id && type === module.type);
  const [targetId, setTargetId] = useState('');
  const target = others.find(({ id }) => id === targetId);
  const choice = useRef<HTMLSelectElement>(null);
  const queries = useQueryClient();
  const toast = useToast();
  const writes = target === undefined ? [] : writesOf(module, target, entries);
  const plan = useQuery({ ...plannedQuery(writes), enabled: target !== undefined });
  const moving = useMutation({
    mutationFn: async (to: Module) => ({
      to,
      answers: await carryOutTogether(writesOf(module, to, entries)),
    }),
    retry: (failures, fault) => isBusy(fault) && failures < BUSY_ATTEMPTS,
    onSuccess: ({ to, answers }) => {
      void queries.invalidateQueries();
      onDone();
      onClose();
      const said = words.moved(entries.length, to.name);
      const back = backOf(module, to, answers);
      if (back === null) toast(said);
      else toast(<Removed said={said} restore={() => carryOutTogether(back)} />, OFFERED);
    },
  });
  const names = entries.map((entry) => keyOf(module.type, entry));
  return (
    <Dialog title={words.title(names)} isOpen onClose={onClose} initialFocus={choice}>
      {names.length > 1 && <p className="name">{entriesText.which(names)}</p>}
      <Control label={words.target} hint={others.length === 0 ? words.noOther : words.targetHint}>
        {(tied) => (
          <select
            {...tied}
            ref={choice}
            className="input"
            value={targetId}
            onChange={({ target: { value } }) => {
              setTargetId(value);
              moving.reset();
            }}
          >
            <option value="">{words.choose}</option>
            {others.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Control>
      {target !== undefined && (
        <Loaded query={plan} what={planText.computing}>
          {(data) => <PlanView plan={data} />}
        </Loaded>
      )}
      <p className="muted">{words.back}</p>
      {moving.error !== null && plan.error === null && <Problem error={moving.error} />}
      <div className="dialog-actions">
        <Button onClick={onClose}>{text.cancel}</Button>
        <Button
          look="primary"
          disabled={target === undefined || plan.error !== null}
          isBusy={moving.isPending || (target !== undefined && plan.isPending)}
          onClick={() => target !== undefined && moving.mutate(target)}
        >
          {words.action}
        </Button>
      </div>
    </Dialog>
  );
}

function writesOf(from: Module, to: Module, entries: readonly Entry[]): Write[] {
  const fields = entryFields(from.type, []);
  return [
    {
      ...{ method: 'POST', path: entriesPath(to) },
      body: { items: entries.map((entry) => bodyAgain(entry, fields)) },
    },
    { method: 'DELETE', path: entriesPath(from), body: { ids: entries.map(({ id }) => id) } },
  ];
}

/** What takes it back: the entries as they were, and nothing of them where they went; null: nothing is kept of what is deleted. */
function backOf(from: Module, to: Module, [made, gone]: readonly unknown[]): Write[] | null {
  const { items } = made as { readonly items: readonly Entry[] };
  const { batch } = gone as Schemas['DeletedEntries'];
  if (batch === null) return null;
  return [
    { method: 'POST', path: `/v1/modules/${from.id}/entries/restore`, body: { batch } },
    { method: 'DELETE', path: entriesPath(to), body: { ids: items.map(({ id }) => id) } },
  ];
}
