import { createContext, useCallback, useContext, useEffect, useState, type ReactNode } from 'react';
import { text } from '../../strings/english.ts';
import { Button } from '../controls/Button.tsx';
import './toasts.css';

interface Shown {
  readonly id: number;
  readonly content: ReactNode;
  readonly milliseconds: number;
}

type ShowToast = (content: ReactNode, milliseconds?: number) => void;
const ToastContext = createContext<ShowToast>(() => undefined);
const SHOWN_MILLISECONDS = 8_000;
/** Of one that offers something: long enough to read it, to think, and to get there by Tab. */
export const OFFERED_MILLISECONDS = 30_000;

let made = 0;

/** What has just been done, said in a corner and read aloud; it goes by itself. */
export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Shown[]>([]);
  const remove = useCallback((id: number) => setToasts((all) => all.filter((one) => one.id !== id)), []);
  const show = useCallback<ShowToast>(
    (content, milliseconds = SHOWN_MILLISECONDS) =>
      setToasts((all) => [...all, { id: ++made, content, milliseconds }]),
    [],
  );
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" role="status">
        {toasts.map((toast) => (
          <Toast key={toast.id} {...toast} onEnd={remove} />
        ))}
      </div>
    </ToastContext>
  );
}

function Toast({ id, content, milliseconds, onEnd }: Shown & { readonly onEnd: (id: number) => void }) {
  // Nothing goes away under the pointer, nor from under the keys.
  const [isUsed, setUsed] = useState(false);
  useEffect(() => {
    if (isUsed) return;
    const timer = setTimeout(() => onEnd(id), milliseconds);
    return () => clearTimeout(timer);
  }, [id, isUsed, milliseconds, onEnd]);
  return (
    <div
      className="toast"
      onFocus={() => setUsed(true)}
      onBlur={() => setUsed(false)}
      onPointerEnter={() => setUsed(true)}
      onPointerLeave={() => setUsed(false)}
    >
      <div>{content}</div>
      <Button look="quiet" className="icon" aria-label={text.close} onClick={() => onEnd(id)}>
        ×
      </Button>
    </div>
  );
}

export function useToast(): ShowToast {
  return useContext(ToastContext);
}
