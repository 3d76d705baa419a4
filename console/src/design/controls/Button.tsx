import type { ComponentProps, MouseEvent } from 'react';
import './button.css';

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** Under way: it stays where it is, keeps the focus, and does nothing when it is pressed again. */
  readonly isBusy?: boolean;
}

export function Button({ look = 'plain', isBusy = false, className = '', onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button ${look} ${className}`}
      // A button that is disabled loses the focus, and whoever uses keys begins at the top of the page.
      aria-disabled={isBusy}
      aria-busy={isBusy}
      onClick={isBusy ? ignore : onClick}
    />
  );
}

/** A form is not sent either. */
function ignore(event: MouseEvent): void {
  event.preventDefault();
}
