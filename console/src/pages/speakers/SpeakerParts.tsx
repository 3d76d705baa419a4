import { useQuery } from '@tanstack/react-query';
import { Copy } from '../../design/messages/Copy.tsx';
import { hasNoNode } from '../../../../src/api/activity/no-node.ts';
import { peersQuery, previewQuery, type Speaker } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { speakersText } from '../../strings/speakers.ts';
import { PeerCover } from '../../views/revisions/Cover.tsx';
import { Lines } from '../../design/shown/Lines.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { PeerLink } from '../../views/resources/ResourceLink.tsx';
import { LastKnownSessions } from '../../views/records/LastKnownSessions.tsx';
import { SessionTable } from '../../views/records/SessionTable.tsx';

export function SpeakerPeers({ speaker }: { speaker: Speaker }) {
  const sessions = speaker.live?.sessions ?? [];
  if (hasNoNode(speaker) && speaker.enabled)
    return <PeersWithoutSession speaker={speaker} why={speakersText.sessionsToCome} />;
  if (sessions.length === 0) {
    const isKnown = speaker.live?.reachable === true;
    return (
      <>
        {speaker.enabled ? (
          <p className="muted">{isKnown ? speakersText.noSessions : speakersText.unknownPeers}</p>
        ) : (
          <PeersWithoutSession speaker={speaker} why={speakersText.isOff} />
        )}
        <LastKnownSessions speakers={[speaker]} subject="speaker" file={`last-sessions-${speaker.name}`} />
      </>
    );
  }
  return (
    <>
      <SessionTable speakers={[speaker]} subject="speaker" file={`sessions-${speaker.name}`} />
      <Covers speaker={speaker} />
    </>
  );
}

/** Whom it will have a session with, once its node has enrolled or it is on. */
function PeersWithoutSession({ speaker: { id }, why }: { speaker: Speaker; why: string }) {
  return (
    <Loaded query={useQuery(peersQuery)}>
      {(all) => {
        const own = all.filter(
          ({ enabled, speaker_ids: ids }) => enabled && (ids.length === 0 || ids.includes(id)),
        );
        if (own.length === 0) return <p className="muted">{speakersText.noSessions}</p>;
        return (
          <>
            <p className="muted">{why}</p>
            <ul>
              {own.map((peer) => (
                <li key={peer.id}>
                  <PeerLink id={peer.id} name={peer.name} /> <code className="muted">{peer.address}</code>{' '}
                  <Copy value={peer.address} />
                </li>
              ))}
            </ul>
          </>
        );
      }}
    </Loaded>
  );
}

/** What fitting costs at those peers whose routes it makes fewer of the latest revision. */
function Covers({ speaker }: { speaker: Speaker }) {
  const { data: peers = [] } = useQuery(peersQuery);
  const isFitting = peers.some(({ when_too_many: way }) => way === 'fit');
  const { data } = useQuery({ ...previewQuery('latest', speaker.id), enabled: isFitting });
  const fitted = (data?.speakers[0]?.peers ?? []).filter(
    (peer) => peer.fitted !== null || peer.unfitted !== null,
  );
  if (fitted.length === 0) return null;
  return (
    <section className="section">
      <h2>{speakersText.covers}</h2>
      <p className="muted">{speakersText.ofLatest}</p>
      <ul>
        {fitted.map((peer) => (
          <li key={peer.peer_id}>
            <span className="name">{peer.name}</span>{' '}
            <PeerCover of={{ ...peer, fitted: peer.fitted?.cost ?? null }} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ConfigurationProps {
  readonly speaker: Speaker;
  readonly part: 'configuration' | 'model';
}

/** What an apply of the latest revision would give its daemon. */
export function Configuration({ speaker, part }: ConfigurationProps) {
  return (
    <Loaded query={useQuery(previewQuery('latest', speaker.id))}>
      {({ speakers: [preview] }) => {
        if (preview === undefined) return <p className="muted">{text.none}</p>;
        const { model, files } = preview.configuration;
        if (part === 'model')
          return <Code title={speakersText.tabs.model} content={JSON.stringify(model, null, 2)} />;
        return (
          <>
            {preview.refusals.length > 0 && (
              <div className="banner">
                <strong>{speakersText.refusals}</strong>
                {preview.refusals.map((refusal) => (
                  <p key={refusal}>{refusal}</p>
                ))}
              </div>
            )}
            <p className="muted">{files.length === 0 ? speakersText.noFiles : speakersText.ofLatest}</p>
            {files.map(({ path, content }) => (
              <Code key={path} title={path} content={content} />
            ))}
          </>
        );
      }}
    </Loaded>
  );
}

function Code({ title, content }: { title: string; content: string }) {
  return (
    <section className="section">
      <h2>
        <code>{title}</code> <Copy value={content} name={title} />
      </h2>
      <Lines text={content} label={title} />
    </section>
  );
}
