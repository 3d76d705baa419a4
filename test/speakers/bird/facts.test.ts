// What the driver relies on, as BIRD does it. When one of these changes, the driver is to be looked at.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createConnection } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ControlSocket } from '../../../src/speakers/bird/process/control-socket.ts';
import { isSealed, seal } from '../../../src/speakers/bird/config/sealed-text.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startParser } from './rendering.ts';

describe.skipIf(requireDaemon('bird') === null)('BIRD', () => {
  let bird: Bird;
  const config = (): string => join(dirname(bird.socketPath), 'bird.conf');
  const write = (text: string): void =>
    writeFileSync(
      config(),
      `log "${join(dirname(bird.socketPath), 'bird.log')}" all;\nrouter id 192.0.2.2;\nprotocol device {}\n${text}\n`,
    );
  const codes = async (command: string): Promise<number[]> =>
    (await bird.command(command)).map(({ code }) => code);
  const routes = async (table: string): Promise<string[]> =>
    (await bird.command(`show route table ${table}`)).flatMap(
      ({ text }) => /^\S+\/\d+/.exec(text)?.[0] ?? [],
    );

  beforeEach(async () => {
    bird = await startBird({
      listen: { address: loopbackAddress(), port: await freePort() },
      routerId: '192.0.2.2',
      localAsn: 64_512,
      neighbors: [],
    });
  });
  afterEach(() => bird?.stop());

  it('is ended by `configure check` of a string of 4,096 bytes, so its socket is never asked to check', async () => {
    write(`protocol static lengthy { description "${'x'.repeat(4_096)}"; ipv4; }`);
    await expect(bird.command('configure check')).rejects.toThrow();
    const asked = () =>
      bird.command('show status').then(
        () => false,
        () => true,
      );
    await waitFor(asked, { what: 'BIRD to end' });
  });

  it('answers by codes: check 20, a try 22 with 3, confirm 18 or 19, undo 21 with 3 or 19', async () => {
    expect(await codes('configure check')).toContain(20);
    const tried = await codes('configure timeout 60');
    expect(tried).toContain(22);
    expect(tried.includes(3) || tried.includes(4)).toBe(true);
    expect(await codes('configure confirm')).toEqual([18]);
    expect(await codes('configure confirm')).toEqual([19]);
    expect(await codes('configure undo')).toContain(21);
    expect(await codes('configure undo')).toContain(19);
  });

  it('undoes even what was confirmed: an undo too many takes back the apply before', async () => {
    write('ipv4 table one;');
    await bird.command('configure');
    write('ipv4 table two;');
    await bird.command('configure timeout 60');
    await bird.command('configure confirm');
    await bird.command('configure undo');
    await expect(routes('one')).resolves.toEqual([]);
    await expect(routes('two')).rejects.toThrow(/9001/);
  });

  it('forgets what it could undo when it is given what it refuses', async () => {
    write('ipv4 table one;');
    await bird.command('configure timeout 60');
    write('nonsense');
    await expect(bird.command('configure')).rejects.toThrow(/8002/);
    expect(await codes('configure undo')).toContain(19);
  });

  it('goes back by itself when nobody confirms', async () => {
    write('ipv4 table one;');
    await bird.command('configure timeout 1');
    await expect(routes('one')).resolves.toEqual([]);
    await waitFor(
      () =>
        routes('one').then(
          () => false,
          () => true,
        ),
      { what: 'BIRD to go back' },
    );
  });

  it('takes a second line as a second command, so what is sent is built of names', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = createConnection(bird.socketPath, () => socket.write('show status\nshow symbols\n'));
      socket.setTimeout(30_000, () => reject(new Error(text)));
      socket.on('error', reject);
      socket.on('data', (chunk) => {
        text += chunk.toString();
        if (!text.includes('1010')) return;
        socket.destroy();
        resolve(text);
      });
    });
    expect(answer).toContain('0013');
    const socket = new ControlSocket(bird.socketPath);
    await expect(socket.showProtocols('x"\nconfigure undo')).rejects.toThrow(RangeError);
    await expect(socket.showProtocols('no such')).rejects.toThrow(RangeError);
    expect(await socket.showProtocols('nobody')).toEqual([]);
  });

  it('refuses writing commands on a restricted connection with 8007', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = createConnection(bird.socketPath, () => socket.write('restrict\nconfigure\n'));
      socket.setTimeout(30_000, () => reject(new Error(text)));
      socket.on('error', reject);
      socket.on('data', (chunk) => {
        text += chunk.toString();
        if (!text.includes('8007')) return;
        socket.destroy();
        resolve(text);
      });
    });
    expect(answer).toContain('0016');
  });

  it('drops every route at a limit whose action is disable, and keeps the first ones with block', async () => {
    const three = 'route 10.0.0.0/8 blackhole; route 11.0.0.0/8 blackhole; route 12.0.0.0/8 blackhole;';
    const limited = (action: string): string =>
      `ipv4 table t_${action}; protocol static s_${action} { ipv4 { table t_${action}; import limit 2 action ${action}; }; ${three} }`;
    write(['disable', 'block'].map(limited).join('\n'));
    await bird.command('configure');
    await waitFor(async () => (await routes('t_block')).length === 2, { what: 'two routes' });
    await waitFor(async () => (await routes('t_disable')).length === 0, { what: 'no route' });
  });

  it('finds nothing in an empty set and everything outside of it', async () => {
    const value = async (text: string): Promise<string | undefined> =>
      (await bird.command(`eval ${text}`)).map((line) => line.text).find((line) => /^[A-Z]/.test(line));
    expect(await value('10.0.0.0/8 ~ []')).toBe('FALSE');
    expect(await value('10.0.0.0/8 !~ []')).toBe('TRUE');
  });
});

describe.skipIf(requireDaemon('bird') === null)("BIRD's parser", () => {
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), `pc-${process.pid}-include-`));
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('accepts a file that was cut at a statement; the mark at its end shows it', async () => {
    const whole = seal('ipv4 table one;\nipv4 table two;\n');
    const cut = whole.slice(0, whole.indexOf('\n') + 1);
    await startParser().parse(cut);
    expect(isSealed(Buffer.from(whole))).toBe(true);
    for (let length = 0; length < whole.length; length++)
      expect(isSealed(Buffer.from(whole.slice(0, length)))).toBe(false);
    expect(isSealed(Buffer.from(whole.replace('one', 'two')))).toBe(false);
  });

  it('takes an empty directory for no files, and does not start without the directory', async () => {
    await startParser().parse(`include "${home}/*.conf";`);
    await expect(startParser().parse(`include "${home}/gone/*.conf";`)).rejects.toThrow(/No such file/);
  });

  it('refuses a configuration that includes a file by name that is not there', async () => {
    await expect(startParser().parse(`include "${home}/routes.inc";`)).rejects.toThrow(/Unable to open/);
  });
});
