import type { ReactNode } from 'react';
import { formText } from '../../strings/forms.ts';
import './locked.css';

/** A form whose fields are shown to a key that may not change them. What was written with another key stays in it. */
export function Locked({ isLocked, children }: { isLocked: boolean; children: ReactNode }) {
  return (
    <>
      {isLocked && <p className="banner">{formText.mayNotChange}</p>}
      <fieldset className="locked" disabled={isLocked}>
        {children}
      </fieldset>
    </>
  );
}
