import { ApiProblem } from '@prefixcast/client';
import { useEffect, useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { formatList, formatSeconds } from '../../strings/format.ts';
import { mayPass } from '../../service/passing.ts';
import { text } from '../../strings/english.ts';
import { titleOfProblem } from '../../strings/remedies.ts';
import { Remedy } from './Remedy.tsx';
import './problem.css';

interface ProblemProps {
  readonly error: Error;
  /** Offered at once, or when the service wants to be asked again. */
  readonly onRetry?: (() => void) | undefined;
  /** Of a form, the labels of the fields that say themselves all that is wrong. */
  readonly atFields?: readonly string[];
}

/** What the service refused, why, and how to correct it, in its own words. */
export function Problem({ error, onRetry, atFields }: ProblemProps) {
  const problem = error instanceof ApiProblem ? error : null;
  const seconds = useCountdown(problem?.retryAfterSeconds ?? 0, error);
  const isConflict = problem?.code === 'precondition_failed';
  return (
    <div className="problem" role="alert">
      <h2>{problem === null ? error.name : titleOfProblem(problem)}</h2>
      <p>
        {atFields === undefined ? (
          <Remedy text={detailOf(error)} />
        ) : (
          text.problem.atFields(formatList(atFields))
        )}
      </p>
      {problem?.code === 'unreachable' && onRetry === undefined && <p>{text.problem.unsent}</p>}
      {isConflict && <p>{text.problem.changedMeanwhile}</p>}
      {problem !== null && problem.errors.length > 1 && atFields === undefined && (
        <ul className="problem-fields" aria-label={text.problem.fields}>
          {problem.errors.map(({ pointer, detail }) => (
            <li key={pointer + detail}>
              <code>{pointer.replace(/^\?/, '')}</code> <Remedy text={detail} />
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

/** Of a question in the address, without the name that it has in the request. */
function detailOf(error: Error): string {
  if (!(error instanceof ApiProblem)) return error.message;
  const [fault] = error.errors;
  return fault !== undefined && error.errors.length === 1 && fault.pointer.startsWith('?')
    ? fault.detail
    : error.detail;
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
