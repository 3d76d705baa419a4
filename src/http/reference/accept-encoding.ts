/** Whether a client takes gzip, as its `Accept-Encoding` says (RFC 9110, section 12.5.3). */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const qualities = new Map(
    (header ?? '')
      .toString()
      .toLowerCase()
      .split(',')
      .map((part): [string, number] => {
        const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim());
        const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
        return [coding, Number(quality) || 0];
      }),
  );
  return (qualities.get('gzip') ?? qualities.get('x-gzip') ?? qualities.get('*') ?? 0) > 0;
}
