import { createContext, useContext, type ReactNode } from 'react';
import { Button, type ButtonProps } from '../../design/controls/Button.tsx';
import { text } from '../../strings/english.ts';

const RowName = createContext('');

interface RowActionsProps {
  /** What the row is called. */
  readonly name: string;
  readonly children: ReactNode;
}

/** What can be done with the thing of a row. */
export function RowActions({ name, children }: RowActionsProps) {
  if (children === false || children === null) return null;
  return (
    <RowName value={name}>
      <span className="row-actions">{children}</span>
    </RowName>
  );
}

interface RowActionProps extends ButtonProps {
  readonly children: string;
}

/** One of that: who hears a page instead of seeing it hears which of twenty buttons of the same word it is. */
export function RowAction({ children, ...button }: RowActionProps) {
  const row = useContext(RowName);
  return (
    <Button look="quiet" {...button} aria-label={text.actionOf(children, row)}>
      {children}
    </Button>
  );
}
