/** What a start of the service is measured against: fastify with a pool of `pg` that loads, listens, and does nothing else. */
import { enableCompileCache } from 'node:module';

enableCompileCache(); // as the service does

const { default: fastify } = await import('fastify');
const { default: pg } = await import('pg');
const pool = new pg.Pool();
const server = fastify();
server.get('/v1/ready', () => ({ status: 'ready' }));
await server.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
process.once('SIGTERM', () => void server.close().then(() => pool.end()));
