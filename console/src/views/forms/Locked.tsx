import type { ReactNode } from 'react';
import { formText } from '../../strings/forms.ts';
import { UnsavedInside, useUnsavedInside } from '../questions/Unsaved.tsx';
import './locked.css';

/** A form whose fields are shown to a key that may not change them. What was written with another key stays in it. */
export function Locked({ isLocked, children }: { isLocked: boolean; children: ReactNode }) {
  const [isUnsaved, tellUnsaved] = useUnsavedInside();
  return (
    <>
      {isLocked && <p className="banner">{isUnsaved ? formText.mayNotSave : formText.mayNotChange}</p>}
      <fieldset className="locked" disabled={isLocked}>
        <UnsavedInside value={tellUnsaved}>{children}</UnsavedInside>
      </fieldset>
    </>
  );
}
