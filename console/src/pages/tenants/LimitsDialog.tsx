import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import {
  carryOut,
  isOutdated,
  plannedQuery,
  readVersioned,
  type Versioned,
  type Write,
} from '../../service/writes.ts';
import { text } from '../../strings/english.ts';
import { formatList, formatNumber } from '../../strings/format.ts';
import { formText } from '../../strings/forms.ts';
import { planText } from '../../strings/plan.ts';
import { tenantsText } from '../../strings/tenants.ts';
import { Loaded } from '../../views/page/Loaded.tsx';
import { useFaultInSight } from '../../views/forms/fault-in-sight.ts';
import { FormProblem } from '../../views/forms/FormProblem.tsx';
import { isLeft, Unsaved } from '../../views/questions/Unsaved.tsx';
import { TwoVersions } from '../../views/forms/TwoVersions.tsx';
import { Fields } from '../../views/forms/RecordForm.tsx';
import {
  bodyOfChanges,
  changesIn,
  draftOf,
  policyFields,
  quotaFields,
  rebased,
  type Change,
  type Limits,
} from './limits.ts';
import { LostSessions } from './LostSessions.tsx';

interface LimitsDialogProps {
  readonly tenant: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** What a tenant may announce and how much it may have: a form, and then what would change, before it does. */
export function LimitsDialog({ tenant, onClose, onDone }: LimitsDialogProps) {
  const path = `/v1/tenants/${tenant.id}`;
  const read = useQuery({
    queryKey: ['versioned', path],
    queryFn: () => readVersioned(path),
    ...{ staleTime: Infinity, gcTime: 0, refetchOnWindowFocus: false },
  });
  return (
    <Dialog title={tenantsText.limitsTitle(tenant.name)} isOpen onClose={onClose}>
      <Loaded query={read}>
        {(version) => <LimitsForm path={path} version={version} onClose={onClose} onDone={onDone} />}
      </Loaded>
    </Dialog>
  );
}

interface LimitsFormProps {
  readonly path: string;
  readonly version: Versioned;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function LimitsForm({ path, version, onClose, onDone }: LimitsFormProps) {
  const queries = useQueryClient();
  const [base, setBase] = useState(version);
  const limits = base.members as unknown as Limits;
  const [draft, setDraft] = useState(() => draftOf(limits));
  const [isReviewed, setReviewed] = useState(false);
  const changes = changesIn(limits, draft);
  const write: Write = { method: 'PATCH', path, body: bodyOfChanges(changes) };
  const saving = useMutation({
    mutationFn: () => carryOut(write, base.etag === null ? {} : { 'if-match': base.etag }),
    onSuccess: () => {
      void queries.invalidateQueries();
      onDone();
    },
    onError: async (error) => {
      if (!isOutdated(error)) return setReviewed(false);
      const now = await readVersioned(path);
      setDraft(rebased(draft, limits, now.members as unknown as Limits));
      setBase(now);
    },
  });
  const form = useRef<HTMLFormElement>(null);
  // The form comes back with what was refused.
  useFaultInSight(form, isReviewed ? null : saving.error);
  const unsaved = <Unsaved isDirty={changes.length > 0 && isLeft(saving)} />;
  if (isReviewed)
    return (
      <>
        {unsaved}
        <Review
          changes={changes}
          write={write}
          wasOutdated={isOutdated(saving.error)}
          isBusy={saving.isPending}
          onBack={() => setReviewed(false)}
          onSave={() => saving.mutate()}
        />
      </>
    );
  const fields = [...policyFields(draft), ...quotaFields(limits)];
  // Whoever goes back while it is saved reads what is: what they would write then was in no review.
  const shared = { draft, isSent: saving.isPending, onChange: setDraft, error: saving.error };
  return (
    <form
      ref={form}
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        setReviewed(true);
      }}
    >
      <h3>{tenantsText.policy}</h3>
      <p className="muted">{tenantsText.policyWhat}</p>
      <Fields fields={policyFields(draft)} {...shared} />
      <h3>{tenantsText.quotasTitle}</h3>
      <Fields fields={quotaFields(limits)} {...shared} />
      {saving.error !== null && <FormProblem error={saving.error} fields={fields} draft={draft} />}
      {unsaved}
      <div className="dialog-actions">
        <Button onClick={onClose}>{text.cancel}</Button>
        <Button type="submit" look="primary" disabled={changes.length === 0}>
          {tenantsText.review(changes.length)}
        </Button>
      </div>
    </form>
  );
}

interface ReviewProps {
  readonly changes: readonly Change[];
  readonly write: Write;
  readonly wasOutdated: boolean;
  readonly isBusy: boolean;
  readonly onBack: () => void;
  readonly onSave: () => void;
}

function Review({ changes, write, wasOutdated, isBusy, onBack, onSave }: ReviewProps) {
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  const plan = useQuery({ ...plannedQuery([write]), enabled: changes.length > 0 });
  return (
    <>
      {wasOutdated && (
        <div className="problem" role="alert">
          <h2>{formText.outdated}</h2>
          <p>{tenantsText.outdatedWhat}</p>
        </div>
      )}
      <p>{tenantsText.reviewWhat}</p>
      <TwoVersions
        caption={tenantsText.changes}
        differences={changes.map(({ path, label, before, after }) => ({
          ...{ name: path, label, one: shown(before), other: shown(after) },
        }))}
      />
      {changes.length > 0 && (
        <Loaded query={plan} what={planText.computing}>
          {(planned) => <LostSessions plan={planned} none={tenantsText.noneLoses} />}
        </Loaded>
      )}
      <p className="muted">{tenantsText.limitsBack}</p>
      <div className="dialog-actions">
        <Button ref={back} onClick={onBack}>
          {tenantsText.back}
        </Button>
        <Button look="danger" isBusy={isBusy} disabled={changes.length === 0} onClick={onSave}>
          {formText.save}
        </Button>
      </div>
    </>
  );
}

function shown(value: unknown): string {
  if (value === null) return tenantsText.allowsAll;
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  if (Array.isArray(value))
    return value.length === 0 ? tenantsText.allowsNothing : formatList(value.map(String));
  return typeof value === 'number' ? formatNumber(value) : JSON.stringify(value);
}
