import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import type { Speaker } from '../../service/queries.ts';
import { speakersText } from '../../strings/speakers.ts';
import { text } from '../../strings/english.ts';
import { welcomeText } from '../../strings/welcome.ts';
import { hasRoutes, sessionsOfAll, type LiveSession, type Seen } from './progress.ts';

/** What the router has to be configured with, and each session until the routes are there. */
export function SessionStep({ seen: { speakers } }: { seen: Seen }) {
  const sessions = sessionsOfAll(speakers);
  const isDone = sessions.some(hasRoutes);
  return (
    <>
      {!isDone && speakers[0] !== undefined && <Neighbour speaker={speakers[0]} />}
      <div role="status">
        <ul className="welcome-sessions">
          {sessions.map((session) => (
            <li key={session.peer_id + session.address}>
              <Session session={session} />
            </li>
          ))}
        </ul>
      </div>
      {isDone ? (
        <p>
          <strong>{welcomeText.finished}</strong>{' '}
          <Link to="/" className="button primary">
            {welcomeText.overview}
          </Link>
        </p>
      ) : (
        <p className="muted">{welcomeText.waiting}</p>
      )}
    </>
  );
}

function Session({ session }: { session: LiveSession }) {
  const { peer_name, state, routes_exported, last_error } = session;
  const isUp = state === 'established';
  return (
    <>
      <Badge tone={hasRoutes(session) ? 'good' : isUp ? 'accent' : 'warning'}>{state}</Badge>{' '}
      <span className="name">{peer_name}</span>{' '}
      {isUp ? welcomeText.up(text.routes(routes_exported)) : welcomeText.connecting}
      {!isUp && last_error !== null && <p className="muted name">{last_error}</p>}
    </>
  );
}

function Neighbour({ speaker: { local_ipv4, local_ipv6, local_asn } }: { speaker: Speaker }) {
  const addresses = [local_ipv4, local_ipv6].filter((address) => address !== null);
  return (
    <section className="section">
      <h3>{welcomeText.neighbour}</h3>
      <dl className="facts">
        <dt>{welcomeText.neighbourAddress}</dt>
        <dd>
          {addresses.length === 0
            ? welcomeText.neighbourAny
            : addresses.map((address) => (
                <span key={address}>
                  <code>{address}</code> <Copy value={address} />{' '}
                </span>
              ))}
        </dd>
        <dt>{speakersText.asn}</dt>
        <dd>
          <code>{local_asn}</code> <Copy value={String(local_asn)} />
        </dd>
      </dl>
      <p className="muted">{welcomeText.policy}</p>
    </section>
  );
}
