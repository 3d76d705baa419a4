import { ApiProblem } from '@prefixcast/client';
import { useEffect, useState, type ReactNode } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { formatList, formatSeconds } from '../../strings/format.ts';
import { mayPass } from '../../service/passing.ts';
import { text } from '../../strings/english.ts';
import { faultInWords, type NamedField } from '../../strings/fault-places.ts';
import { titleOfProblem } from '../../strings/remedies.ts';
import { Remedy } from './Remedy.tsx';
import './problem.css';

interface ProblemProps {
  readonly error: Error;
  /** Offered at once, or when the service wants to be asked again. */
  readonly onRetry?: (() => void) | undefined;
  /** Of a form, the labels of the fields that say themselves all that is wrong. */
  readonly atFields?: readonly string[];
  /** Of a form: what is wrong is said by their labels. */
  readonly fields?: readonly NamedField[];
  /** More that is known of it, such as who it was. */
  readonly children?: ReactNode;
}

/** What the service refused, why, and how to correct it, in its own words. */
export function Problem({ error, onRetry, atFields, fields = [], children }: ProblemProps) {
  const problem = error instanceof ApiProblem ? error : null;
  const seconds = useCountdown(problem?.retryAfterSeconds ?? 0, error);
  const faults = problem?.errors ?? [];
  const isConflict = problem?.code === 'precondition_failed';
  return (
    <div className="problem" role="alert">
      <h2>{problem === null ? error.name : titleOfProblem(problem)}</h2>
      {(atFields !== undefined || faults.length < 2) && (
        <p>
          {atFields === undefined ? (
            <Remedy text={detailOf(error, fields)} />
          ) : (
            text.problem.atFields(formatList(atFields))
          )}
        </p>
      )}
      {problem?.code === 'unreachable' && onRetry === undefined && <p>{text.problem.unsent}</p>}
      {isConflict && <p>{text.problem.changedMeanwhile}</p>}
      {children}
      {faults.length > 1 && atFields === undefined && (
        <ul className="problem-fields" aria-label={text.problem.fields}>
          {faults.map((fault) => (
            <li key={fault.pointer + fault.detail}>
              <Remedy text={faultInWords(fault, fields)} />
            </li>
          ))}
        </ul>
      )}
      {problem !== null && (
        <p className="muted">
          {text.problem.code} <ProblemCode problem={problem} />
          {problem.requestId !== null && (
            <>
              {' · '}
              {text.problem.requestId} <code>{problem.requestId}</code> <Copy value={problem.requestId} />
            </>
          )}
        </p>
      )}
      {onRetry !== undefined && mayPass(error) && (
        <Button disabled={seconds > 0} onClick={onRetry}>
          {seconds > 0 ? text.retryIn(formatSeconds(seconds)) : text.retry}
        </Button>
      )}
    </div>
  );
}

/** Leads to what the service's documentation says of it; it has nothing of what the client found by itself. */
function ProblemCode({ problem: { code, requestId } }: { readonly problem: ApiProblem }) {
  if (requestId === null) return <code>{code}</code>;
  return (
    <a href={`/docs/errors/${code}`} target="_blank" rel="noreferrer">
      <code>{code}</code>
    </a>
  );
}

/** Of one fault, where it is in words. Of a question in the address, without the name that it has in the request. */
function detailOf(error: Error, fields: readonly NamedField[]): string {
  if (!(error instanceof ApiProblem)) return error.message;
  const [fault] = error.errors;
  if (fault === undefined || error.errors.length > 1) return error.detail;
  return fault.pointer.startsWith('?') ? fault.detail : faultInWords(fault, fields);
}

/** Seconds that are left, counted from when this error was first shown. */
function useCountdown(seconds: number, error: Error): number {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const end = performance.now() + seconds * 1_000;
    const look = (): void => setLeft(Math.max(0, (end - performance.now()) / 1_000));
    look();
    const timer = setInterval(look, 250);
    return () => clearInterval(timer);
  }, [seconds, error]);
  return left;
}
