import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import type { Speaker } from '../../service/queries.ts';
import { speakersText } from '../../strings/speakers.ts';
import { text } from '../../strings/english.ts';
import { inWordsOfThePages } from '../../strings/remedies.ts';
import { welcomeText } from '../../strings/welcome.ts';
import { PeerLink } from '../../views/resources/ResourceLink.tsx';
import { hasAllRoutes, hasRoutes, sessionsOfAll, type LiveSession, type Seen } from './progress.ts';

/** What the router has to be configured with, and each session until the routes are there. */
export function SessionStep({ seen: { speakers } }: { seen: Seen }) {
  const sessions = sessionsOfAll(speakers);
  const isDone = sessions.some(hasAllRoutes);
  const isSent = sessions.some(hasRoutes);
  return (
    <>
      {!isSent && speakers[0] !== undefined && <Neighbour speaker={speakers[0]} />}
      <div role="status">
        <ul className="welcome-sessions">
          {sessions.map((session) => (
            <li key={session.peer_id + session.address}>
              <Session session={session} />
            </li>
          ))}
        </ul>
      </div>
      {isSent ? (
        <p>
          <strong>{isDone ? welcomeText.finished : welcomeText.partly}</strong>{' '}
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
  const { peer_id, peer_name, state, routes_exported, last_error } = session;
  const isUp = state === 'established';
  return (
    <>
      <Badge tone={hasAllRoutes(session) ? 'good' : isUp && last_error === null ? 'accent' : 'warning'}>
        {state}
      </Badge>{' '}
      {/* What an error asks for is in the form of the peer. */}
      {last_error === null ? (
        <span className="name">{peer_name}</span>
      ) : (
        <PeerLink id={peer_id} name={peer_name} />
      )}{' '}
      {isUp ? welcomeText.up(text.routes(routes_exported)) : welcomeText.connecting}
      {last_error !== null && <p className="muted name">{inWordsOfThePages(last_error)}</p>}
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
