import './url.css';

const SCHEME = 'https://';
/** Characters at the end that stay, however narrow it is. */
const END = 12;

/**
 * A URL in the row of a table. Where there is no room for it, its middle is cut: whose it is stands at the beginning, and which of theirs at the
 * end. All of it is there on hover, while something in the row has the focus, and for whoever copies it. `https` goes without saying.
 */
export function Url({ url }: { url: string }) {
  const scheme = url.startsWith(SCHEME) ? SCHEME : '';
  const rest = Array.from(url.slice(scheme.length));
  const path = rest.indexOf('/', scheme === '' ? url.indexOf('://') + 3 : 0);
  const cut = Math.max(path < 0 ? rest.length : path + 1, rest.length - END);
  return (
    <code className="url" title={url}>
      {scheme !== '' && <span className="visually-hidden">{scheme}</span>}
      <span className="url-start">{rest.slice(0, cut).join('')}</span>
      <span className="url-end">{rest.slice(cut).join('')}</span>
    </code>
  );
}
