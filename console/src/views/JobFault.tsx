import type { Schemas } from '@prefixcast/client';
import { text } from '../strings/english.ts';

/** Why a job failed. */
export function JobFault({ error: { title, detail, code } }: { error: Schemas['JobError'] }) {
  return (
    <div className="problem" role="alert">
      <h2>{title}</h2>
      <p>{detail}</p>
      <p className="muted">
        {text.problem.code} <code>{code}</code>
      </p>
    </div>
  );
}
