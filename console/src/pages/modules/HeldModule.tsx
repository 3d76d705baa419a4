import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Moment } from '../../design/shown/Time.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../service/permissions.ts';
import { heldDiffQuery, type Module } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { Begun } from '../../views/resources/Begun.tsx';
import { ChangeCounts } from '../../views/difference/Counts.tsx';
import { Difference } from '../../views/difference/Difference.tsx';
import { Findings } from '../../views/faults/Findings.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { OverrideDialog } from '../../views/revisions/OverrideDialog.tsx';
import { Section } from '../../views/page/Page.tsx';

interface HeldModuleProps {
  readonly module: Pick<Module, 'id' | 'name'>;
  readonly isDeleted?: boolean;
  readonly isOff?: boolean;
  readonly held: Pick<NonNullable<Module['held']>, 'findings'> & {
    /** Null: nobody knows any more. */
    readonly since: string | null;
  };
}

/** What holds a module, what its release would change, and the release. */
export function HeldModule({ module, held, isDeleted = false, isOff = false }: HeldModuleProps) {
  const [isAsking, setAsking] = useState(false);
  const toast = useToast();
  const may = useMay();
  const effect = useInfiniteQuery(heldDiffQuery(module.id));
  // A release may meet more than what the module was held for.
  const [shown] = effect.data?.pages ?? [];
  const findings = shown?.findings ?? held.findings;
  return (
    <Section
      title={text.guardrails.breaks(findings.length)}
      aside={
        may('bgp:deploy:write') && (
          <Button look="danger" onClick={() => setAsking(true)}>
            {text.guardrails.release}
          </Button>
        )
      }
    >
      <p className="muted">
        {held.since !== null && (
          <>
            {text.guardrails.heldSince} <Moment at={held.since} />.{' '}
          </>
        )}
        {isDeleted
          ? text.guardrails.heldDeletion
          : isOff
            ? text.guardrails.heldOff
            : findings.some(({ code }) => code === 'tenant_policy')
              ? text.guardrails.heldByPolicy
              : text.guardrails.heldModule}
      </p>
      <Findings findings={findings} />
      <Difference title={text.guardrails.effect} query={effect} />
      <OverrideDialog
        title={text.guardrails.releaseTitle(module.name)}
        action={text.guardrails.release}
        isOpen={isAsking}
        findings={findings}
        effect={
          <Loaded query={effect}>
            {({ pages }) => (
              <p>
                {text.guardrails.effect}: <ChangeCounts summary={pages[0]!.summary} />
              </p>
            )}
          </Loaded>
        }
        basis={shown === undefined ? null : JSON.stringify([shown.snapshot, shown.summary, shown.findings])}
        word={module.name}
        onClose={() => setAsking(false)}
        onOverride={(request) =>
          client.post('/v1/modules/{module_id}/release', {
            params: { path: { module_id: module.id } },
            // That of the numbers in the window: the page itself may know of a newer one before they are there.
            body: { ...request, snapshot: shown!.snapshot },
          })
        }
        onDone={({ id }) => {
          setAsking(false);
          toast(<Begun what={text.guardrails.released} jobId={id} />, { about: module.id });
        }}
      />
    </Section>
  );
}
