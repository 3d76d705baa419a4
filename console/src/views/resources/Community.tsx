import './community.css';

const COLOURS = 8;

/** One of the eight colours, the same for a community wherever it stands. */
export function colourOf(community: string): number {
  let hash = 0;
  for (const character of community) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return hash % COLOURS;
}

interface CommunityProps {
  readonly community: string;
  readonly title?: string;
  /** Said on hover, where there is no room for a title. */
  readonly hint?: string;
}

export function Community({ community, title, hint = title }: CommunityProps) {
  return (
    <span className={`community colour-${colourOf(community)}`} title={hint}>
      <code>{community}</code>
      {title !== undefined && <span className="name">{title}</span>}
    </span>
  );
}
