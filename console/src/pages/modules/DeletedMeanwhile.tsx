import { useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { useMay } from '../../service/permissions.ts';
import type { Module } from '../../service/queries.ts';
import { removedText } from '../../strings/removed.ts';
import { LatestChange } from '../../views/forms/LatestChange.tsx';
import { RestoreModule } from './RestoreModule.tsx';
import '../../views/faults/problem.css';

/** Above what somebody is writing about a module that somebody else has deleted: by whom, and how both come together again. */
export function DeletedMeanwhile({ module }: { readonly module: Pick<Module, 'id' | 'name'> }) {
  const [isRestoring, setRestoring] = useState(false);
  const may = useMay();
  return (
    <div className="problem" role="alert">
      <h2>{removedText.meanwhile}</h2>
      <p>{removedText.meanwhileWhat}</p>
      <LatestChange path={`/v1/modules/${module.id}`} isGone />
      {may('bgp:lists:write') && <Button onClick={() => setRestoring(true)}>{removedText.restore}</Button>}
      {isRestoring && (
        <RestoreModule
          module={module}
          onClose={() => setRestoring(false)}
          onDone={() => setRestoring(false)}
        />
      )}
    </div>
  );
}
