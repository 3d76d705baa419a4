import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../design/controls/Button.tsx';
import { useToast } from '../design/messages/Toasts.tsx';
import { useMay } from '../service/permissions.ts';
import { freezeQuery } from '../service/queries.ts';
import { freezeText } from '../strings/operations.ts';
import { PlanDialog } from '../views/revisions/PlanDialog.tsx';

/** On every page while applies are frozen: whoever waits for one to reach a router sees why it does not, and ends the freeze. */
export function FreezeBanner() {
  const may = useMay();
  const { data } = useQuery({ ...freezeQuery, enabled: may('bgp:settings:read') });
  const [isEnding, setEnding] = useState(false);
  const toast = useToast();
  return (
    <>
      {data?.isFrozen === true && (
        <div className="banner freeze-banner" role="status">
          <strong>{freezeText.title}</strong>
          <span>{freezeText.what(data.stopped)}</span>
          <Link to="/settings" search={{ q: 'deploy_freeze' }}>
            {freezeText.setting}
          </Link>
          {may('bgp:settings:write') && <Button onClick={() => setEnding(true)}>{freezeText.end}</Button>}
        </div>
      )}
      {/* Not in the banner, which may go before it is closed. */}
      <PlanDialog
        title={freezeText.endTitle}
        action={freezeText.end}
        writes={[{ method: 'PATCH', path: '/v1/settings', body: { deploy_freeze: false } }]}
        isOpen={isEnding}
        onClose={() => setEnding(false)}
        onDone={() => {
          setEnding(false);
          toast(freezeText.ended);
        }}
      />
    </>
  );
}
