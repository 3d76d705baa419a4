import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { LiveUpdates } from '../service/live.tsx';
import { isSignedOut, sessionQuery } from '../service/session.ts';
import { Loaded } from '../views/Loaded.tsx';
import { Frame } from './Frame.tsx';
import { SignIn } from './SignIn.tsx';

/** Other tabs have to notice that the browser has another session now, or none. */
const CHANNEL = 'prefixcast-session';

/** The pages for who is signed in, and the way to sign in for everybody else. The address stays, and is shown afterwards. */
export function SignedIn() {
  const queries = useQueryClient();
  const session = useQuery(sessionQuery);
  const [hadSession, setHadSession] = useState(false);
  useEffect(() => {
    if (session.data !== undefined) setHadSession(true);
  }, [session.data]);
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener('message', () => void queries.resetQueries());
    return () => channel.close();
  }, [queries]);
  if (isSignedOut(session.error))
    return (
      <SignIn
        hasEnded={hadSession}
        onSignedIn={() => {
          const channel = new BroadcastChannel(CHANNEL);
          channel.postMessage('signed in');
          channel.close();
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
