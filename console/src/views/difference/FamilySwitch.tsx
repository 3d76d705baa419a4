import { Link } from '@tanstack/react-router';
import { text } from '../../strings/english.ts';
import { mapText } from '../../strings/map.ts';
import '../page/tabs.css';

/** What a map begins with. Of IPv6 it is what is given out. */
const WHOLE = { ipv4: undefined, ipv6: '2000::/3' } as const;

/** The family that a map draws, by the `within` of its address. */
export function FamilySwitch({ within }: { within: string | undefined }) {
  const current = within?.includes(':') === true ? 'ipv6' : 'ipv4';
  return (
    <nav className="tabs" aria-label={mapText.family}>
      {(['ipv4', 'ipv6'] as const).map((family) => (
        <Link
          key={family}
          to="."
          search={
            { map: 'shown', ...(WHOLE[family] === undefined ? {} : { within: WHOLE[family] }) } as never
          }
          aria-current={family === current ? 'true' : undefined}
          className={family === current ? 'is-current' : ''}
        >
          {text.families[family]}
        </Link>
      ))}
    </nav>
  );
}
