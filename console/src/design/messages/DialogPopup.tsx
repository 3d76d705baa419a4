import { Dialog as Base } from '@base-ui/react/dialog';
import {
  createContext,
  useContext,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react';
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

/** A window, as those that open above it know it. */
interface Opened {
  /** What had the focus before. */
  readonly opener: RefObject<Element | null>;
  readonly isOpen: RefObject<boolean>;
  readonly popup: RefObject<HTMLElement | null>;
  /** The window below. */
  readonly below: Opened | null;
}

const Below = createContext<Opened | null>(null);

/** What has the focus once the window is closed, by itself or with those below it; null: nothing that could take it. */
function placeAfter(window: Opened): HTMLElement | null {
  if (window.below !== null && !window.below.isOpen.current) return placeAfter(window.below);
  const { current } = window.opener;
  // The editor of texts can be written in, which gives it the focus without a place in the order.
  if (
    current instanceof HTMLElement &&
    current.isConnected &&
    (current.tabIndex >= 0 || current.isContentEditable)
  )
    return current;
  // As where the palette led to it: not to the page behind a window that is still there.
  return window.below?.popup.current ?? null;
}

/** What has the focus, also in a shadow tree, such as the editor of texts: the document knows its host alone. */
function focused(): Element | null {
  let found = document.activeElement;
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found;
}

/** A window above the page. Escape closes it, and the focus goes back to where it was, or, where that was nowhere, to the page. */
export function DialogPopup(props: DialogProps) {
  const { title, isOpen, onClose, initialFocus, finalFocus, className = '', children } = props;
  const opener = useRef<Element>(null);
  const isShown = useRef(false);
  const popup = useRef<HTMLDivElement>(null);
  const isDirty = useRef(false);
  const [isAsking, setAsking] = useState(false);
  const below = useContext(Below);
  const own = useMemo<Opened>(() => ({ opener, isOpen: isShown, popup, below }), [below]);
  useLayoutEffect(() => {
    if (!isOpen) return;
    opener.current = focused();
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, [isOpen]);
  /** The buttons at the end are in sight without it: who opens a window begins to read at its title. */
  const begin = (): HTMLElement | boolean => {
    const first = initialFocus?.current ?? null;
    if (first?.matches('.dialog-actions *') !== true) return first ?? true;
    // When Base UI would do it: after whatever closes has given the focus back.
    requestAnimationFrame(() => {
      if (isShown.current) first.focus({ preventScroll: true });
    });
    return false;
  };
  /** Base UI would take the first control of a page that had the focus itself: one that does something at a stray Enter. */
  const giveBack = (): boolean => {
    const chosen = finalFocus?.() ?? null;
    // Not before what is behind the window can have it again, and every window that closes with it is known to.
    queueMicrotask(() => {
      const place = chosen ?? placeAfter(own);
      if (place === null) focusContent();
      else place.focus({ preventScroll: true });
    });
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
          ref={popup}
          className={`dialog ${className}`}
          {...(initialFocus === undefined ? {} : { initialFocus: begin })}
          finalFocus={giveBack}
        >
          <Base.Title className="dialog-title">{title}</Base.Title>
          <Below value={own}>
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
          </Below>
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
