import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { focusContent } from '../design/behaviour/focus.ts';
import { LiveUpdates } from '../service/live.tsx';
import { isSignedOut, onSessionChange, sessionQuery } from '../service/session.ts';
import { Loaded } from '../views/page/Loaded.tsx';
import { Frame } from './Frame.tsx';
import { SignIn } from './SignIn.tsx';

/** The pages for who is signed in, and the way to sign in for everybody else. The address stays, and is shown afterwards. */
export function SignedIn() {
  const queries = useQueryClient();
  const session = useQuery(sessionQuery);
  const hasJustSignedIn = useRef(false);
  const [hadSession, setHadSession] = useState(false);
  useEffect(() => {
    if (session.data === undefined) return;
    setHadSession(true);
    // The form that had the focus is gone.
    if (hasJustSignedIn.current) focusContent();
    hasJustSignedIn.current = false;
  }, [session.data]);
  useEffect(
    () =>
      onSessionChange(() => {
        // Who is signed in goes on with what is on the page and in its forms, unless it was this session that ended.
        if (isSignedOut(queries.getQueryState(sessionQuery.queryKey)?.error)) void queries.resetQueries();
        else void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      }),
    [queries],
  );
  const keyId = session.data?.key.id;
  const formerKeyId = useRef(keyId);
  useEffect(() => {
    // Another key of the same tenant may read more, or less.
    if (formerKeyId.current !== undefined && keyId !== formerKeyId.current)
      void queries.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== 'session' });
    formerKeyId.current = keyId;
  }, [keyId, queries]);
  if (isSignedOut(session.error))
    return (
      <SignIn
        hasEnded={hadSession}
        onSignedIn={() => {
          hasJustSignedIn.current = true;
          void queries.resetQueries();
        }}
      />
    );
  return (
    <Loaded query={session}>
      {(data) => (
        <LiveUpdates tenantId={data.tenant.id} key={data.tenant.id}>
          <Frame session={data} />
        </LiveUpdates>
      )}
    </Loaded>
  );
}
