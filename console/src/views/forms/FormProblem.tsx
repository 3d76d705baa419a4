import { ApiProblem } from '@prefixcast/client';
import type { ReactNode } from 'react';
import { isFaultAt, type Members } from '../../service/writes.ts';
import { Problem } from '../faults/Problem.tsx';
import { fieldsFor, type FormField } from './RecordForm.tsx';

interface FormProblemProps {
  readonly error: Error;
  readonly fields: readonly FormField[];
  readonly draft: Members;
  readonly children?: ReactNode;
}

/** Why a form is refused. What its fields say of themselves is not said once more, but which they are: one may be out of sight. */
export function FormProblem({ error, fields, draft, children }: FormProblemProps) {
  const shown = fieldsFor(fields, draft);
  const faulty = faultyFields(error, shown);
  return (
    <Problem error={error} fields={shown} {...(faulty === null ? {} : { atFields: faulty })}>
      {children}
    </Problem>
  );
}

/** By their labels; null: they do not say all that is wrong. */
function faultyFields(error: Error, fields: readonly FormField[]): string[] | null {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return null;
  const faulty = error.errors.map((fault) => fields.find(({ name }) => isFaultAt(fault, `/${name}`)));
  const labels = faulty.map((field) => field?.label);
  // A field shows the first of its faults.
  const isAll = !labels.includes(undefined) && new Set(faulty).size === faulty.length;
  return isAll ? (labels as string[]) : null;
}
