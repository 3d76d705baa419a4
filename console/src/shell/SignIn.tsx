import { useMutation } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { Button } from '../design/controls/Button.tsx';
import { Field } from '../design/controls/Field.tsx';
import {
  isSignedOut,
  OtherTenant,
  showSession,
  signIn,
  WeakerKey,
  type Session,
} from '../service/session.ts';
import { text } from '../strings/english.ts';
import { endedSessionText } from '../strings/session.ts';
import { Problem } from '../views/faults/Problem.tsx';
import { useFaultInSight } from '../views/forms/fault-in-sight.ts';
import './sign-in.css';

interface SignInProps {
  /** What became of the session that there was a moment ago; undefined: there was none. */
  readonly ended: string | undefined;
  readonly onSignedIn: () => void;
}

const KEY_IN_FRAGMENT = /^#(?:key|sign-in)=([\w-]{1,200})$/;

/** A key, or the token of a link that signs in once, that a link brings fills the field. It is never sent by itself: somebody else's link must not sign anybody in. */
function takeKeyOfLink(): string {
  const key = KEY_IN_FRAGMENT.exec(location.hash)?.[1] ?? '';
  if (key !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return key;
}

export function SignIn({ ended, onSignedIn }: SignInProps) {
  return (
    <main className="sign-in">
      <title>{`${text.session.title} · ${text.product}`}</title>
      <SignInForm
        onSignedIn={(session) => {
          showSession(session);
          onSignedIn();
        }}
      >
        <h1>{text.product}</h1>
        <p className={ended === undefined ? 'muted' : 'banner'}>{ended ?? text.session.what}</p>
      </SignInForm>
    </main>
  );
}

interface SignInFormProps {
  /** Called with a session that the tab shows only if it showed no other tenant: see {@link signIn}. */
  readonly onSignedIn: (session: Session) => void;
  /** The session that the key must be able to go on with, if any will not do. */
  readonly only?: Session | undefined;
  /** Above the field. */
  readonly children: ReactNode;
  /** Below the button that signs in. */
  readonly aside?: ReactNode;
}

export function SignInForm({ onSignedIn, only, children, aside }: SignInFormProps) {
  const [key, setKey] = useState(takeKeyOfLink);
  const signing = useMutation({
    mutationFn: (typed: string) => signIn(typed, only),
    onSuccess: onSignedIn,
    meta: { isSignIn: true },
  });
  const problem = signing.error;
  const fault = problem === null ? undefined : faultOfKey(problem, only);
  const form = useRef<HTMLFormElement>(null);
  useFaultInSight(form, problem);
  return (
    <form
      ref={form}
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        signing.mutate(key.trim());
      }}
    >
      {children}
      <Field
        label={text.session.key}
        hint={text.session.keyHint}
        error={fault}
        type="password"
        autoComplete="current-password"
        autoFocus
        required
        value={key}
        onChange={({ target }) => setKey(target.value)}
      />
      {problem !== null && fault === undefined && <Problem error={problem} />}
      <Button type="submit" look="primary" isBusy={signing.isPending}>
        {text.session.submit}
      </Button>
      {aside}
    </form>
  );
}

/** What is wrong with the key itself. */
function faultOfKey(problem: Error, only: Session | undefined): string | undefined {
  if (problem instanceof OtherTenant)
    return endedSessionText.ofOther(problem.tenant.name, only?.tenant.name ?? text.navigation.tenant);
  if (problem instanceof WeakerKey) return endedSessionText.weaker(problem.role);
  return isSignedOut(problem) ? problem.message : undefined;
}
