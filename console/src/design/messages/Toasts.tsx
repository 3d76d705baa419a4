import { createContext, useCallback, useContext, useEffect, useState, type ReactNode } from 'react';
import { text } from '../../strings/english.ts';
import { Button } from '../controls/Button.tsx';
import './toasts.css';

interface ToastOptions {
  readonly milliseconds?: number;
  /** The id of a thing: what is said of it takes the place of what was said of it before. */
  readonly about?: string;
}

interface Shown extends ToastOptions {
  readonly id: number;
  readonly content: ReactNode;
}

type ShowToast = (content: ReactNode, options?: ToastOptions) => void;
const ToastContext = createContext<ShowToast>(() => undefined);
/** Says of the toast around it whether what it is about still goes on. */
const GoingOnContext = createContext<(isGoingOn: boolean) => void>(() => undefined);
const SHOWN_MILLISECONDS = 8_000;
/** Of one that offers something: long enough to read it, to think, and to get there by Tab. */
export const OFFERED: ToastOptions = { milliseconds: 30_000 };

let made = 0;

/** What has just been done, said in a corner and read aloud; it goes by itself, once it is over. */
export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Shown[]>([]);
  const remove = useCallback((id: number) => setToasts((all) => all.filter((one) => one.id !== id)), []);
  const show = useCallback<ShowToast>(
    (content, options = {}) =>
      setToasts((all) => [
        ...all.filter(({ about }) => about === undefined || about !== options.about),
        { ...options, id: ++made, content },
      ]),
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

interface ToastProps extends Shown {
  readonly onEnd: (id: number) => void;
}

function Toast({ id, content, milliseconds = SHOWN_MILLISECONDS, onEnd }: ToastProps) {
  // Nothing goes away under the pointer, nor from under the keys.
  const [isUsed, setUsed] = useState(false);
  const [isGoingOn, setGoingOn] = useState(false);
  useEffect(() => {
    if (isUsed || isGoingOn) return;
    const timer = setTimeout(() => onEnd(id), milliseconds);
    return () => clearTimeout(timer);
  }, [id, isUsed, isGoingOn, milliseconds, onEnd]);
  return (
    <div
      className="toast"
      onFocus={() => setUsed(true)}
      onBlur={() => setUsed(false)}
      onPointerEnter={() => setUsed(true)}
      onPointerLeave={() => setUsed(false)}
    >
      <GoingOnContext value={setGoingOn}>
        <div>{content}</div>
      </GoingOnContext>
      <Button look="quiet" className="icon" aria-label={text.close} onClick={() => onEnd(id)}>
        ×
      </Button>
    </div>
  );
}

export function useToast(): ShowToast {
  return useContext(ToastContext);
}

/** In a toast: it stays while this goes on, and as long as any other from then on, to say how it ended. */
export function useStaysWhile(isGoingOn: boolean): void {
  const tell = useContext(GoingOnContext);
  useEffect(() => tell(isGoingOn), [tell, isGoingOn]);
}
