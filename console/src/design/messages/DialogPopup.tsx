import { Dialog as Base } from '@base-ui/react/dialog';
import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { formText } from '../../strings/forms.ts';
import { focusContent } from '../behaviour/focus.ts';
import { Button } from '../controls/Button.tsx';
import { CloseGuard } from './close-guard.ts';
import './dialog.css';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** What has the focus first. */
  readonly initialFocus?: RefObject<HTMLElement | null>;
  /** What has it afterwards, where that is not what had it before. */
  readonly finalFocus?: () => HTMLElement | null;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A window above the page. Escape closes it, and the focus goes back to where it was, or, where that was nowhere, to the page. */
export function DialogPopup(props: DialogProps) {
  const { title, isOpen, onClose, initialFocus, finalFocus, className = '', children } = props;
  const opener = useRef<Element>(null);
  const isDirty = useRef(false);
  const [isAsking, setAsking] = useState(false);
  useLayoutEffect(() => {
    if (isOpen) opener.current = document.activeElement;
  }, [isOpen]);
  /** Base UI would take the first control of a page that had the focus itself: one that does something at a stray Enter. */
  const giveBack = (): boolean => {
    const { current } = opener;
    const chosen = finalFocus?.() ?? null;
    if (chosen === null && current instanceof HTMLElement && current.tabIndex >= 0 && current.isConnected)
      return true;
    // Not before what is behind the window can have it again.
    queueMicrotask(() => (chosen === null ? focusContent() : chosen.focus()));
    return false;
  };
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(open) => {
        if (open) return;
        if (isDirty.current) setAsking(true);
        else onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          className={`dialog ${className}`}
          {...(initialFocus === undefined ? {} : { initialFocus })}
          finalFocus={giveBack}
        >
          <Base.Title className="dialog-title">{title}</Base.Title>
          <CloseGuard value={isDirty}>{children}</CloseGuard>
          {isAsking && (
            <LeaveDialog
              isOpen
              what={formText.unsavedForm}
              onStay={() => setAsking(false)}
              onLeave={() => {
                setAsking(false);
                onClose();
              }}
            />
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

export interface LeaveDialogProps {
  readonly isOpen: boolean;
  /** What would be lost. */
  readonly what: string;
  readonly onStay: (() => void) | undefined;
  readonly onLeave: (() => void) | undefined;
}

/** Asks before something is left that is not saved. The focus begins on staying. */
export function LeaveDialog({ isOpen, what, onStay, onLeave }: LeaveDialogProps) {
  const stay = useRef<HTMLButtonElement>(null);
  const hasLeft = useRef(false);
  useLayoutEffect(() => {
    if (isOpen) hasLeft.current = false;
  }, [isOpen]);
  return (
    <DialogPopup
      title={formText.unsaved}
      isOpen={isOpen}
      onClose={() => onStay?.()}
      initialFocus={stay}
      // Whoever leaves begins where they go, and not at the link that led there.
      finalFocus={() => (hasLeft.current ? document.getElementById('content') : null)}
    >
      <p>{what}</p>
      <div className="dialog-actions">
        <Button ref={stay} onClick={onStay}>
          {formText.stay}
        </Button>
        <Button
          look="danger"
          onClick={() => {
            hasLeft.current = true;
            onLeave?.();
          }}
        >
          {formText.leave}
        </Button>
      </div>
    </DialogPopup>
  );
}
