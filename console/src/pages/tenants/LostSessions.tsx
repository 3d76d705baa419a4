import type { Plan } from '../../service/writes.ts';
import { tenantsText } from '../../strings/tenants.ts';
import '../../views/difference/counts.css';

interface LostSessionsProps {
  readonly plan: Plan;
  /** Where there are none. */
  readonly none: string;
}

/** How many sessions of a tenant end or lose routes, and how many each router loses; whose they are, nobody but the tenant reads. */
export function LostSessions({ plan: { effect }, none }: LostSessionsProps) {
  const losing = (effect.tenants ?? []).flatMap(({ count, session, before, after }) => {
    const had = before.ipv4 + before.ipv6;
    if (session === 'ends') return [tenantsText.ends(count, had)];
    const lost = had - after.ipv4 - after.ipv6;
    return lost > 0 ? [tenantsText.loses(count, lost)] : [];
  });
  if (losing.length === 0) return <p>{none}</p>;
  return (
    <ul>
      {losing.map((line, at) => (
        <li key={at} className="change-withdrawn">
          {line}
        </li>
      ))}
    </ul>
  );
}
