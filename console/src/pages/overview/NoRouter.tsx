import { Link } from '@tanstack/react-router';
import { useMay } from '../../service/permissions.ts';
import { overviewText } from '../../strings/overview.ts';

/** Of a tenant whose lists no router is to have: nothing is wrong, and this leads to the first one. */
export function NoRouter({ hasSpeakers }: { readonly hasSpeakers: boolean }) {
  const may = useMay();
  return (
    <>
      <p className="muted">{overviewText.noRouterDetail}</p>
      {may('bgp:peers:write') && (
        <p>
          {/* Where there is no speaker either, the first run makes both. */}
          <Link className="button" to={hasSpeakers ? '/peers' : '/welcome'}>
            {overviewText.addRouter}
          </Link>
        </p>
      )}
    </>
  );
}
