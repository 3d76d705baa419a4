/**
 * The first of the offered encodings that a client takes, as its `Accept-Encoding` says (RFC 9110, section 12.5.3).
 * @returns null where it takes none of them, or says nothing: the body goes as it is
 */
export function acceptedEncoding<Encoding extends string>(
  header: string | string[] | undefined,
  offered: readonly Encoding[],
): Encoding | null {
  if (header === undefined) return null;
  const qualities = new Map(String(header).toLowerCase().split(',').map(qualityOf));
  const others = qualities.get('*') ?? 0;
  return offered.find((coding) => (qualities.get(coding) ?? others) > 0) ?? null;
}

function qualityOf(part: string): [coding: string, quality: number] {
  const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [coding === 'x-gzip' ? 'gzip' : coding, Number(quality) || 0];
}
