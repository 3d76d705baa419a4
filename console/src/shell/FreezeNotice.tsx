import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../design/controls/Button.tsx';
import { Moment } from '../design/shown/Time.tsx';
import { useToast } from '../design/messages/Toasts.tsx';
import { useMay } from '../service/permissions.ts';
import { freezeRecordQuery } from '../service/operations.ts';
import { freezeText } from '../strings/freeze.ts';
import { PlanDialog } from '../views/revisions/PlanDialog.ts';
import { FreezeEnd } from './FreezeEnd.tsx';

export interface FreezeNoticeProps {
  /** Whether applies are frozen. */
  readonly isOpen: boolean;
  /** As whoever began it has said; null: nothing. */
  readonly reason: string | null;
  /** Applies that it has stopped. */
  readonly stopped: number;
}

/** Why no apply reaches a router, and how that ends. */
export function FreezeNotice({ isOpen, reason, stopped }: FreezeNoticeProps) {
  const may = useMay();
  const [isEnding, setEnding] = useState(false);
  const toast = useToast();
  return (
    <>
      {isOpen && (
        <div className="banner freeze-banner" role="status">
          <strong>{freezeText.title}</strong>
          {reason !== null && <q>{reason}</q>}
          <Beginning />
          <span>{freezeText.what(stopped)}</span>
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
        view={(plan) => <FreezeEnd plan={plan} />}
        back={freezeText.back}
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

/** Who froze them, and since when that is, as far as the audit log may be read. */
function Beginning() {
  const may = useMay();
  const { data: record } = useQuery({ ...freezeRecordQuery, enabled: may('bgp:monitoring:read') });
  if (record === undefined || record === null) return null;
  return (
    <span>
      {freezeText.by} <span className="name">{record.actor}</span> <Moment at={record.at} />.
    </span>
  );
}
