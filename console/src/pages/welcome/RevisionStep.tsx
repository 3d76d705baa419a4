import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../design/controls/Button.tsx';
import { makeFirstRevision } from '../../service/first-run.ts';
import type { Module, Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { welcomeText } from '../../strings/welcome.ts';
import { JobFault } from '../../views/faults/JobFault.tsx';
import { Problem } from '../../views/faults/Problem.tsx';

interface RevisionStepProps {
  readonly modules: readonly Module[];
  readonly revisions: readonly Revision[];
}

export function RevisionStep({ modules, revisions }: RevisionStepProps) {
  const queries = useQueryClient();
  const making = useMutation({
    mutationFn: () => makeFirstRevision(modules.filter(({ enabled }) => enabled)),
    onSuccess: () => void queries.invalidateQueries(),
  });
  const fault = making.data?.error ?? null;
  const heldModules = modules.filter(({ held }) => held !== null);
  const heldRevision = revisions.find(({ state }) => state === 'held');
  return (
    <>
      <p className="muted">{welcomeText.revisionWhat}</p>
      {(heldModules.length > 0 || heldRevision !== undefined) && (
        <>
          <p>{welcomeText.held}</p>
          {heldRevision !== undefined && (
            <p>
              <Link to="/revisions/$revision" params={{ revision: String(heldRevision.number) }}>
                {text.revisions.numbered(heldRevision.number)}
              </Link>
            </p>
          )}
          <Modules modules={heldModules} />
        </>
      )}
      {making.error !== null && <Problem error={making.error} onRetry={() => making.mutate()} />}
      {fault !== null && (
        <>
          <JobFault error={fault} />
          <p>{welcomeText.failed}</p>
          <Modules modules={modules} />
        </>
      )}
      <p>
        <Button look="primary" isBusy={making.isPending} onClick={() => making.mutate()}>
          {welcomeText.make}
        </Button>
      </p>
      <p role="status" className="muted">
        {making.isPending && welcomeText.making}
      </p>
    </>
  );
}

function Modules({ modules }: { modules: readonly Module[] }) {
  return modules.map(({ id, name }) => (
    <p key={id}>
      <Link className="name" to="/modules/$moduleId" params={{ moduleId: id }}>
        {welcomeText.openModule(name)}
      </Link>
    </p>
  ));
}
