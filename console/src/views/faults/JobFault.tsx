import type { Schemas } from '@prefixcast/client';
import { text } from '../../strings/english.ts';
import { inWordsOfThePages } from '../../strings/remedies.ts';

/** Names say enough to people; an id after one is for programs. */
function withoutIds(detail: string): string {
  return detail.replaceAll(/ \([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\)/g, '');
}

/** Why a job failed. */
export function JobFault({ error: { title, detail, code } }: { error: Schemas['JobError'] }) {
  return (
    <div className="problem" role="alert">
      <h2>{title}</h2>
      <p>{inWordsOfThePages(withoutIds(detail))}</p>
      <p className="muted">
        {text.problem.code} <code>{code}</code>
      </p>
    </div>
  );
}
