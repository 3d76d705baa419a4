import type { ComponentProps } from 'react';
import './button.css';

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** Under way: it stays where it is, and cannot be pressed again. */
  readonly isBusy?: boolean;
}

export function Button({ look = 'plain', isBusy = false, disabled, className = '', ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button ${look} ${className}`}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy}
    />
  );
}
