import { useState } from 'react';
import { text } from '../../strings/english.ts';
import { useToast } from './Toasts.tsx';
import './copy.css';

const SHOWN_MILLISECONDS = 1_500;

interface CopyProps {
  readonly value: string;
  /** What it is, where the value is long. */
  readonly name?: string;
}

/** Copies an address, an id or a command. */
export function Copy({ value, name = value }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  const toast = useToast();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      // The browser has none to give, or may not.
      toast(text.notCopied);
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MILLISECONDS);
  };
  return (
    <span className="copy-box">
      <button
        type="button"
        className="copy"
        aria-label={text.copy(name)}
        title={text.copy(name)}
        onClick={() => void copy()}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          {isCopied ? <path d="m3 8.5 3.2 3.2L13 5" /> : <path d="M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z" />}
        </svg>
      </button>
      {/* Always there, since what comes with its text is not read. */}
      <span role="status" className={isCopied ? 'copied' : ''}>
        {isCopied ? text.copied : ''}
      </span>
    </span>
  );
}
