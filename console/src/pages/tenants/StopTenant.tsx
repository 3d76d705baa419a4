import type { Schemas } from '@prefixcast/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Field } from '../../design/controls/Field.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import { tenantNowQuery } from '../../service/host.ts';
import { carryOut, plannedQuery, type Write } from '../../service/writes.ts';
import { text } from '../../strings/english.ts';
import { tenantsText } from '../../strings/tenants.ts';
import { planText } from '../../strings/plan.ts';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Problem } from '../../views/faults/Problem.tsx';
import { LostSessions } from './LostSessions.tsx';

interface StopTenantProps {
  readonly tenant: Schemas['Tenant'];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Takes away every route of a tenant at once: what it has now is said, how it comes back, and its name is typed, as for a release. */
export function StopTenant({ tenant, onClose, onDone }: StopTenantProps) {
  const { id, name } = tenant;
  const cancel = useRef<HTMLButtonElement>(null);
  const [typed, setTyped] = useState('');
  const queries = useQueryClient();
  const stop: Write = { method: 'POST', path: `/v1/tenants/${id}/stop` };
  const now = useQuery(tenantNowQuery(id));
  // Planned again when it has other things.
  const plan = useQuery({
    ...plannedQuery([stop], JSON.stringify(now.data?.usage)),
    enabled: !now.isPending,
  });
  const stopping = useMutation({
    mutationFn: () => carryOut(stop),
    onSuccess: () => {
      void queries.invalidateQueries();
      onDone();
    },
  });
  const isReady = typed === name;
  return (
    <Dialog title={tenantsText.stopTitle(name)} isOpen onClose={onClose} initialFocus={cancel}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) stopping.mutate();
        }}
      >
        <Loaded query={now}>{({ usage }) => <p>{tenantsText.stopWhat(usage)}</p>}</Loaded>
        {/* Nobody waits for it: what stops routers from being sent something must not have to. */}
        <Loaded query={plan} what={planText.computing}>
          {(planned) => <LostSessions plan={planned} none={tenantsText.noneEnds} />}
        </Loaded>
        <p>{tenantsText.stopBack}</p>
        <Field
          {...{ label: text.guardrails.type(name), className: 'input', value: typed }}
          {...{ autoComplete: 'off', spellCheck: false }}
          onChange={({ target }) => setTyped(target.value)}
        />
        {stopping.error !== null && (
          <Problem error={stopping.error} onRetry={isReady ? () => stopping.mutate() : undefined} />
        )}
        {!isReady && (
          <p className="muted name" role="status">
            {text.guardrails.missing(text.guardrails.missingWord(name))}
          </p>
        )}
        <div className="dialog-actions">
          <Button ref={cancel} onClick={onClose}>
            {text.cancel}
          </Button>
          <Button type="submit" look="danger" disabled={!isReady} isBusy={stopping.isPending}>
            {tenantsText.stop}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
