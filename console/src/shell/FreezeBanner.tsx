import { useQuery } from '@tanstack/react-query';
import { later } from '../design/behaviour/later.tsx';
import { useMay } from '../service/permissions.ts';
import { freezeQuery } from '../service/queries.ts';
import type { FreezeNoticeProps } from './FreezeNotice.tsx';

/** What ends a freeze has a plan, which no first page needs. */
const FreezeNotice = later<FreezeNoticeProps>(async () => (await import('./FreezeNotice.tsx')).FreezeNotice);

/** On every page while applies are frozen: whoever waits for one to reach a router sees why it does not, and ends the freeze. */
export function FreezeBanner() {
  const may = useMay();
  const { data } = useQuery({ ...freezeQuery, enabled: may('bgp:settings:read') });
  return (
    <FreezeNotice
      isOpen={data?.isFrozen === true}
      reason={data?.reason ?? null}
      stopped={data?.stopped ?? 0}
    />
  );
}
