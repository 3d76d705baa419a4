import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Button } from '../design/controls/Button.tsx';
import { Field } from '../design/controls/Field.tsx';
import { isSignedOut, showSession, signIn, type Session } from '../service/session.ts';
import { text } from '../strings/english.ts';
import { Problem } from '../views/faults/Problem.tsx';
import './sign-in.css';

interface SignInProps {
  /** There was a session a moment ago. */
  readonly hasEnded: boolean;
  readonly onSignedIn: () => void;
}

const KEY_IN_FRAGMENT = /^#(?:key|sign-in)=([\w-]{1,200})$/;

/** A key, or the token of a link that signs in once, that a link brings fills the field. It is never sent by itself: somebody else's link must not sign anybody in. */
function takeKeyOfLink(): string {
  const key = KEY_IN_FRAGMENT.exec(location.hash)?.[1] ?? '';
  if (key !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return key;
}

export function SignIn({ hasEnded, onSignedIn }: SignInProps) {
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
        <p className={hasEnded ? 'banner' : 'muted'}>{hasEnded ? text.session.ended : text.session.what}</p>
      </SignInForm>
    </main>
  );
}

interface SignInFormProps {
  /** Called with a session that the tab shows only if it showed no other tenant: see {@link signIn}. */
  readonly onSignedIn: (session: Session) => void;
  /** Above the field. */
  readonly children: ReactNode;
}

export function SignInForm({ onSignedIn, children }: SignInFormProps) {
  const [key, setKey] = useState(takeKeyOfLink);
  const signing = useMutation({ mutationFn: signIn, onSuccess: onSignedIn, meta: { isSignIn: true } });
  const problem = signing.error;
  const isOfKey = problem !== null && isSignedOut(problem);
  return (
    <form
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
        error={isOfKey ? problem.message : undefined}
        type="password"
        autoComplete="current-password"
        autoFocus
        required
        value={key}
        onChange={({ target }) => setKey(target.value)}
      />
      {problem !== null && !isOfKey && <Problem error={problem} />}
      <Button type="submit" look="primary" isBusy={signing.isPending}>
        {text.session.submit}
      </Button>
    </form>
  );
}
