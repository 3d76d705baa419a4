import { createContext, useCallback, useContext, useState, type ReactNode } from 'react';
import { text } from '../strings/english.ts';
import { Button } from './Button.tsx';
import './toasts.css';

interface Toast {
  readonly id: number;
  readonly content: ReactNode;
}

type ShowToast = (content: ReactNode) => void;
const ToastContext = createContext<ShowToast>(() => undefined);
const SHOWN_MILLISECONDS = 8_000;

/** What has just been done, said in a corner and read aloud; it goes by itself. */
export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const remove = useCallback((id: number) => setToasts((all) => all.filter((one) => one.id !== id)), []);
  const show = useCallback<ShowToast>(
    (content) => {
      const id = performance.now();
      setToasts((all) => [...all, { id, content }]);
      setTimeout(() => remove(id), SHOWN_MILLISECONDS);
    },
    [remove],
  );
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" role="status">
        {toasts.map(({ id, content }) => (
          <div key={id} className="toast">
            <div>{content}</div>
            <Button look="quiet" className="icon" aria-label={text.close} onClick={() => remove(id)}>
              ×
            </Button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}

export function useToast(): ShowToast {
  return useContext(ToastContext);
}
