import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../service/permissions.ts';
import { diffQuery, type Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { AppliedDifference } from '../../views/difference/AppliedDifference.tsx';
import { Findings } from '../../views/faults/Findings.tsx';
import { OverrideDialog } from '../../views/revisions/OverrideDialog.tsx';
import { Section } from '../../views/page/Page.tsx';

/** What holds a revision, and the way to apply it all the same. */
export function HeldRevision({ revision }: { revision: Revision }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const toast = useToast();
  const may = useMay();
  const difference = useInfiniteQuery({
    ...diffQuery('applied', String(revision.number)),
    enabled: isAsking,
  });
  return (
    <Section
      title={text.guardrails.breaks(revision.findings.length)}
      aside={
        may('bgp:deploy:write') && (
          <Button look="danger" onClick={() => setAsking(true)}>
            {text.guardrails.override}
          </Button>
        )
      }
    >
      <p className="muted">{text.guardrails.heldRevision}</p>
      <Findings findings={revision.findings} />
      <OverrideDialog
        title={text.guardrails.overrideTitle(revision.number)}
        action={text.guardrails.override}
        isOpen={isAsking}
        findings={revision.findings}
        effect={<AppliedDifference revision={revision} />}
        basis={
          difference.isPending
            ? null
            : JSON.stringify([revision.id, revision.findings, difference.data?.pages[0]?.summary])
        }
        word={String(revision.number)}
        onClose={() => setAsking(false)}
        onOverride={({ override, reason }) =>
          client.post('/v1/apply', { body: { revision_id: revision.id, override, reason } })
        }
        onDone={({ id }) => {
          setAsking(false);
          toast(text.revisions.applied);
          void navigate({ to: '/applies/$jobId', params: { jobId: id } });
        }}
      />
    </Section>
  );
}
