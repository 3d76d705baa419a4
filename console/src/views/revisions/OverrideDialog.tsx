import type { Schemas } from '@prefixcast/client';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import { Field } from '../../design/controls/Field.tsx';
import type { Finding, Job } from '../../service/queries.ts';
import { faultAt } from '../../service/writes.ts';
import { text } from '../../strings/english.ts';
import { findingTitle } from '../../strings/findings.ts';
import { formatList } from '../../strings/format.ts';
import { Findings } from '../faults/Findings.tsx';
import { Problem } from '../faults/Problem.tsx';
import { isLeft, Unsaved } from '../questions/Unsaved.tsx';
import './override-dialog.css';

interface OverrideDialogProps {
  readonly title: string;
  readonly action: string;
  readonly isOpen: boolean;
  readonly findings: readonly Finding[];
  /** What it would change at the routers. */
  readonly effect: ReactNode;
  /** What the findings and the effect belong to; null: they are not there yet, and nobody can agree to them. */
  readonly basis: string | null;
  /** What has to be typed: a number or a name, which nobody types by habit. */
  readonly word: string;
  readonly onClose: () => void;
  readonly onOverride: (request: Override) => Promise<Job>;
  readonly onDone: (job: Job) => void;
}

type Guardrail = NonNullable<Schemas['ApplyRequest']['override']>[number];

export interface Override {
  readonly override: Guardrail[];
  readonly reason: string;
}

interface Attempt {
  readonly request: Override;
  readonly basis: string | null;
}

const SHORTEST_REASON = 10;

/** Allows what guardrails hold: every code ticked, a reason, its number typed. The focus begins where nothing happens. */
export function OverrideDialog(props: OverrideDialogProps) {
  const { title, action, isOpen, findings, effect, basis, word, onClose, onOverride, onDone } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  // Only guardrails are among findings that hold something.
  const codes = [...new Set(findings.map(({ code }) => code as Guardrail))];
  const [ticked, setTicked] = useState<ReadonlySet<Guardrail>>(new Set());
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const [agreedTo, setAgreedTo] = useState(basis);
  const [hasChanged, setChanged] = useState(false);
  const overriding = useMutation({
    mutationFn: ({ request }: Attempt) => onOverride(request),
    onSuccess: onDone,
  });
  // What was refused for other numbers is no matter of these.
  const error = overriding.variables?.basis === basis ? overriding.error : null;
  // A tick is for what was shown when it was made.
  if (basis !== null && basis !== agreedTo) {
    setAgreedTo(basis);
    setTicked(new Set());
    setChanged(isOpen && agreedTo !== null);
  }
  const missing = [
    ...(basis === null ? [text.guardrails.missingEffect] : []),
    ...(codes.every((code) => ticked.has(code)) ? [] : [text.guardrails.missingTicks]),
    ...(reason.trim().length >= SHORTEST_REASON ? [] : [text.guardrails.missingReason]),
    ...(typed === word ? [] : [text.guardrails.missingWord(word)]),
  ];
  const isReady = missing.length === 0;
  const close = (): void => {
    overriding.reset();
    setChanged(false);
    onClose();
  };
  const tick = (code: Guardrail): void => {
    const next = new Set(ticked);
    if (!next.delete(code)) next.add(code);
    setTicked(next);
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close} initialFocus={cancel}>
      <form
        className="override"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) overriding.mutate({ request: { override: codes, reason: reason.trim() }, basis });
        }}
      >
        <Findings findings={findings} />
        {effect}
        <p className="muted">{text.guardrails.back}</p>
        <fieldset>
          <legend className="legend">{text.guardrails.tick}</legend>
          {codes.map((code) => (
            <label key={code} className="check">
              {/* Nobody agrees to numbers that are not there yet. */}
              <input
                type="checkbox"
                disabled={basis === null}
                checked={ticked.has(code)}
                onChange={() => tick(code)}
              />
              <span>
                {findingTitle(code)} <code className="muted">{code}</code>
              </span>
            </label>
          ))}
        </fieldset>
        <Field
          label={text.guardrails.reason}
          hint={text.guardrails.reasonHint}
          error={faultAt(error, '/reason')}
          value={reason}
          maxLength={500}
          onChange={({ target }) => setReason(target.value)}
        />
        <Field
          label={text.guardrails.type(word)}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setTyped(target.value)}
        />
        {error !== null && <Problem error={error} />}
        {hasChanged && (
          <p className="problem" role="alert">
            {text.guardrails.changed}
          </p>
        )}
        <Unsaved isDirty={(reason !== '' || typed !== '') && isLeft(overriding)} />
        {missing.length > 0 && (
          <p className="muted name" role="status">
            {text.guardrails.missing(formatList(missing))}
          </p>
        )}
        <div className="dialog-actions">
          <Button ref={cancel} onClick={close}>
            {text.cancel}
          </Button>
          <Button type="submit" look="danger" disabled={!isReady} isBusy={overriding.isPending}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
