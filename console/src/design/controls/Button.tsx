import type { ComponentProps, MouseEvent } from 'react';
import { text } from '../../strings/english.ts';
import './button.css';

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** Under way: it stays where it is, keeps the focus, and does nothing when it is pressed again. */
  readonly isBusy?: boolean;
}

export function Button({ look = 'plain', isBusy, className = '', onClick, ...rest }: ButtonProps) {
  const button = (
    <button
      type="button"
      {...rest}
      className={`button ${look} ${className}`}
      // A button that is disabled loses the focus, and whoever uses keys begins at the top of the page.
      aria-disabled={isBusy === true}
      aria-busy={isBusy === true}
      onClick={isBusy === true ? ignore : onClick}
    />
  );
  if (isBusy === undefined) return button;
  return (
    <>
      {button}
      {/* Always there, since what comes with its text is not read. */}
      <span role="status" className="visually-hidden">
        {isBusy ? text.underWay : ''}
      </span>
    </>
  );
}

/** A form is not sent either. */
function ignore(event: MouseEvent): void {
  event.preventDefault();
}
