import { useId, type ReactNode } from 'react';
import { Prose } from '../shown/Prose.tsx';
import './field.css';

interface ControlProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** What the service says is wrong with it. */
  readonly error?: string | undefined;
  /** The control itself, with the attributes that tie it to its label and its texts. */
  readonly children: (tied: Tied) => ReactNode;
}

interface Tied {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

/** A control of a form between its label and what is said about it. */
export function Control({ label, hint, error, children }: ControlProps) {
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        ...{ id, 'aria-invalid': error !== undefined },
        'aria-describedby': described.join(' ').trim() || undefined,
      })}
      {hint !== undefined && (
        <p className="muted" id={`${id}-hint`}>
          <Prose text={hint} />
        </p>
      )}
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
