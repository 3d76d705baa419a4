import type { FastifyReply } from 'fastify';

/** Says that the answer depends on this header of requests, too; what was said before stays. */
export function addVary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary');
  const names = before === undefined ? [] : String(before).split(/, */);
  if (!names.some((known) => known.toLowerCase() === name.toLowerCase())) names.push(name);
  void reply.header('vary', names.join(', '));
}
