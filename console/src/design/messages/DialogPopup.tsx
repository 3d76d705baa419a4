import { Dialog as Base } from '@base-ui/react/dialog';
import { useEffect, type ReactNode, type RefObject } from 'react';
import './dialog.css';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** What has the focus first. */
  readonly initialFocus?: RefObject<HTMLElement | null>;
  /** What has it afterwards, where that is not what had it before. */
  readonly finalFocus?: () => HTMLElement | true | null;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A window above the page. Escape closes it, and the focus goes back to where it was, or, where that is gone, to the page. */
export function DialogPopup(props: DialogProps) {
  const { title, isOpen, onClose, initialFocus, finalFocus, className = '', children } = props;
  useEffect(() => (isOpen ? keepFocus : undefined), [isOpen]);
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          className={`dialog ${className}`}
          {...(initialFocus === undefined ? {} : { initialFocus })}
          {...(finalFocus === undefined ? {} : { finalFocus })}
        >
          <Base.Title className="dialog-title">{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** After this and whatever the close has led to, such as a row that was deleted. */
const CLOSED_MILLISECONDS = 300;

/** Whoever uses keys goes on where the page begins, and not at the address bar. */
function keepFocus(): void {
  setTimeout(() => {
    if (document.activeElement === document.body) document.getElementById('content')?.focus();
  }, CLOSED_MILLISECONDS);
}
