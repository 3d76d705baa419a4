import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { focusContent } from '../design/behaviour/focus.ts';
import { Button } from '../design/controls/Button.tsx';
import { Dialog } from '../design/messages/Dialog.tsx';
import { LeaveDialog } from '../design/messages/LeaveDialog.tsx';
import { own } from '../service/client.ts';
import { LiveUpdates } from '../service/live.tsx';
import { ShownSession } from '../service/permissions.ts';
import {
  isSignedOut,
  onSessionChange,
  sessionQuery,
  showSession,
  tenantRefusal,
  type Session,
} from '../service/session.ts';
import { text } from '../strings/english.ts';
import { formText } from '../strings/forms.ts';
import { endedSessionText, endOf } from '../strings/session.ts';
import { Loaded } from '../views/page/Loaded.tsx';
import { Frame } from './Frame.tsx';
import { UnsavedInside, useUnsavedInside } from '../views/questions/Unsaved.tsx';
import { LeavingContext } from './leaving.ts';
import { SignIn, SignInForm } from './SignIn.tsx';

/** The pages for who is signed in, and the way to sign in for everybody else. The address stays, and is shown afterwards. */
export function SignedIn() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const session = useQuery(sessionQuery);
  const isTenantRefused = tenantRefusal(session.error) !== null;
  const hasJustSignedIn = useRef(false);
  /** The last one that there was, unless somebody has signed out of it. */
  const [former, setFormer] = useState<Session | null>(null);
  const [isUnsaved, tellUnsaved] = useUnsavedInside();
  const leaving = useMemo(() => ({ isUnsaved, forget: () => setFormer(null) }), [isUnsaved]);
  const formerTenantId = useRef<string>(undefined);
  useEffect(() => {
    if (session.data === undefined) return;
    setFormer(session.data);
    const { id } = session.data.tenant;
    const isElsewhere = formerTenantId.current !== undefined && formerTenantId.current !== id;
    // What had the focus is gone: a form, or the page of another tenant.
    if (hasJustSignedIn.current || isElsewhere) focusContent();
    hasJustSignedIn.current = false;
    formerTenantId.current = id;
  }, [session.data]);
  useEffect(() => {
    own.isWriting = isUnsaved;
  }, [isUnsaved]);
  /** Somebody without a key of the tenant is asked whether what they were writing may be lost. */
  const [isLeaving, setLeaving] = useState(false);
  useEffect(
    () =>
      onSessionChange(() => {
        // Who is signed in goes on with what is on the page and in its forms, unless it was this session that ended.
        if (!isUnsaved && isSignedOut(queries.getQueryState(sessionQuery.queryKey)?.error))
          void queries.resetQueries();
        else void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      }),
    [queries, isUnsaved],
  );
  const keyId = session.data?.key.id;
  const formerKeyId = useRef(keyId);
  useEffect(() => {
    // Another key of the same tenant may read more, or less.
    if (formerKeyId.current !== undefined && keyId !== formerKeyId.current)
      void queries.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== 'session' });
    formerKeyId.current = keyId;
  }, [keyId, queries]);
  const [wasOut, setWasOut] = useState(false);
  // While it is asked for once more, nobody knows better: the window stays, with what is typed in it.
  const isOut = session.isPending ? wasOut : isSignedOut(session.error);
  if (isOut !== wasOut) setWasOut(isOut);
  // What somebody is writing stays, below the window that asks for a key.
  const shown = session.data ?? (isUnsaved ? former : null);
  if (isOut && shown === null)
    return (
      <SignIn
        ended={former === null ? undefined : endedSessionText.ended(endOf(session.error))}
        onSignedIn={() => {
          hasJustSignedIn.current = true;
          void queries.resetQueries();
        }}
      />
    );
  const goOn = async (next: Session): Promise<void> => {
    showSession(next);
    const { tenant } = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
    if (tenant.id === former?.tenant.id) await queries.invalidateQueries();
    else await queries.resetQueries();
  };
  return (
    <LeavingContext value={leaving}>
      <UnsavedInside value={tellUnsaved}>
        {shown === null ? (
          <Loaded query={session}>{() => null}</Loaded>
        ) : (
          <LiveUpdates
            key={shown.tenant.id}
            tenantId={shown.tenant.id}
            since={shown.browser_session?.last_event_id}
            isRefused={isOut || isTenantRefused}
          >
            <ShownSession value={shown}>
              <Frame session={shown} />
            </ShownSession>
          </LiveUpdates>
        )}
        <Dialog title={text.session.title} isOpen={isOut} onClose={() => undefined}>
          <SignInForm
            onSignedIn={(next) => void goOn(next)}
            only={former ?? undefined}
            aside={
              <Button look="quiet" onClick={() => setLeaving(true)}>
                {formText.leave}
              </Button>
            }
          >
            <p>{endedSessionText.here(endOf(session.error))}</p>
          </SignInForm>
          <LeaveDialog
            isOpen={isLeaving}
            what={formText.unsavedForm}
            onStay={() => setLeaving(false)}
            onLeave={() => {
              setLeaving(false);
              // With what is written gone, the page that signs in to any tenant takes the window's place.
              void navigate({ to: '/', ignoreBlocker: true });
            }}
          />
        </Dialog>
      </UnsavedInside>
    </LeavingContext>
  );
}
