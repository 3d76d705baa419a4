import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useContext, useState } from 'react';
import { Button } from '../design/controls/Button.tsx';
import { Dialog } from '../design/messages/Dialog.tsx';
import { LeaveDialog } from '../design/messages/LeaveDialog.tsx';
import { showTenant } from '../service/client.ts';
import { sessionQuery, showSession, type Session } from '../service/session.ts';
import { text } from '../strings/english.ts';
import { formText } from '../strings/forms.ts';
import { otherTenantText } from '../strings/session.ts';
import { LeavingContext } from './leaving.ts';
import { SignInForm } from './SignIn.tsx';

/** The tenant that is shown, a choice where the browser has sessions of several, and the way to one more. */
export function TenantChoice({ session: { tenant, browser_session } }: { session: Session }) {
  const queries = useQueryClient();
  const { isUnsaved } = useContext(LeavingContext);
  const [isAdding, setAdding] = useState(false);
  /** An arrow key only looks through them: Enter, or the button, shows one. */
  const [chosen, setChosen] = useState(tenant.id);
  /** What shows the other tenant, once whoever has not saved something says so. */
  const [asked, setAsked] = useState<(() => void) | null>(null);
  const change = useTenantChange();
  const tenants = [tenant, ...(browser_session?.others ?? []).map((other) => other.tenant)];
  // Another tab may have signed out of it meanwhile.
  const shown = tenants.some(({ id }) => id === chosen) ? chosen : tenant.id;
  const leaveFor = (show: () => void): void => {
    if (isUnsaved) setAsked(() => () => change(show));
    else change(show);
  };
  const showChosen = (): void => {
    if (shown !== tenant.id) leaveFor(() => showTenant(shown));
  };
  return (
    <div
      className="tenant-choice"
      onBlur={({ currentTarget, relatedTarget }) => {
        // Whoever goes on without it stays where they are, and the choice says where that is.
        if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) setChosen(tenant.id);
      }}
    >
      {tenants.length === 1 ? (
        <strong className="name">{tenant.name}</strong>
      ) : (
        <select
          className="input"
          aria-label={text.navigation.tenant}
          value={shown}
          onChange={({ target }) => setChosen(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || shown === tenant.id) return;
            event.preventDefault();
            showChosen();
          }}
        >
          {tenants
            .toSorted((one, other) => one.name.localeCompare(other.name))
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </select>
      )}
      {shown !== tenant.id && (
        <Button look="primary" onClick={showChosen}>
          {otherTenantText.show}
        </Button>
      )}
      <Button look="quiet" className="other-tenant" onClick={() => setAdding(true)}>
        {otherTenantText.title}
      </Button>
      <Dialog title={otherTenantText.title} isOpen={isAdding} onClose={() => setAdding(false)}>
        <SignInForm
          onSignedIn={(session) => {
            setAdding(false);
            // Another key of this tenant takes nothing away: what is written stays.
            if (session.tenant.id === tenant.id) void queries.invalidateQueries(sessionQuery);
            else leaveFor(() => showSession(session));
          }}
        >
          <p>{otherTenantText.what}</p>
        </SignInForm>
        <div className="dialog-actions">
          <Button onClick={() => setAdding(false)}>{text.cancel}</Button>
        </div>
      </Dialog>
      <LeaveDialog
        isOpen={asked !== null}
        what={formText.unsavedForm}
        onStay={() => setAsked(null)}
        onLeave={() => {
          setAsked(null);
          asked?.();
        }}
      />
    </div>
  );
}

/** Nothing of the other tenant stays on the page, and an address with its ids would lead nowhere. */
function useTenantChange(): (show: () => void) => void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const change = async (show: () => void): Promise<void> => {
    // First the page: one that is asked for with the session of the other tenant is not found.
    await navigate({ to: '/', ignoreBlocker: true });
    show();
    await queries.resetQueries();
  };
  return (show) => void change(show);
}
