import type { ComponentProps } from 'react';
import { Control } from './Control.tsx';

interface FieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly hint?: string | undefined;
  /** What the service says is wrong with it. */
  readonly error?: string | undefined;
}

export function Field({ label, hint, error, ...input }: FieldProps) {
  return (
    <Control label={label} hint={hint} error={error}>
      {(tied) => <input {...input} {...tied} />}
    </Control>
  );
}
