import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../design/controls/Button.tsx';
import { Dialog } from '../design/messages/Dialog.tsx';
import { showTenant } from '../service/client.ts';
import type { Session } from '../service/session.ts';
import { text } from '../strings/english.ts';
import { otherTenantText } from '../strings/session.ts';
import { SignInForm } from './SignIn.tsx';

/** The tenant that is shown, a choice where the browser has sessions of several, and the way to one more. */
export function TenantChoice({ session: { tenant, browser_session } }: { session: Session }) {
  const [isAdding, setAdding] = useState(false);
  const change = useTenantChange();
  const others = browser_session?.others ?? [];
  return (
    <div className="tenant-choice">
      {others.length === 0 ? (
        <strong className="name">{tenant.name}</strong>
      ) : (
        <select
          className="input"
          aria-label={text.navigation.tenant}
          value={tenant.id}
          onChange={({ target }) => {
            showTenant(target.value);
            change();
          }}
        >
          {[tenant, ...others.map((other) => other.tenant)].map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      <Button look="quiet" className="other-tenant" onClick={() => setAdding(true)}>
        {otherTenantText.title}
      </Button>
      <Dialog title={otherTenantText.title} isOpen={isAdding} onClose={() => setAdding(false)}>
        <SignInForm
          onSignedIn={() => {
            setAdding(false);
            change();
          }}
        >
          <p>{otherTenantText.what}</p>
        </SignInForm>
      </Dialog>
    </div>
  );
}

/** Nothing of the other tenant stays on the page, and an address with its ids would lead nowhere. */
function useTenantChange(): () => void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return () => {
    void navigate({ to: '/' });
    void queries.resetQueries();
  };
}
