import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Login } from '#shared/adapters/cluster/login.ts';
import type { KeyPair } from '#shared/ports.ts';
import { makeCa, makeLeaf } from '#test/support/tls.ts';
import { until } from '#test/support/until.ts';
import { apiServer, asking, base64, ca, folder, kubeconfigOf } from './asked-over-tls.ts';

async function inPod() {
  const server = await apiServer({ token: 'first' });
  const directory = folder();
  writeFileSync(join(directory, 'ca.crt'), ca.certificate);
  const mount = (token: string) => writeFileSync(join(directory, 'token'), token);
  mount('first');
  const mountCa = (of: KeyPair) => writeFileSync(join(directory, 'ca.crt'), of.certificate);
  const place = { host: 'localhost', port: String(server.port), directory };
  return { server, mount, mountCa, ...(await asking({ kind: 'in-cluster', ...place })) };
}

/** The time of day goes back meanwhile, and says nothing of how old a token is. */
function inAMinute(): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

describe('the token of a pod', () => {
  it('is read again when a watch is refused by it', async () => {
    const { server, mount, watch } = await inPod();
    expect(await watch()).toBe('open');
    mount('second');
    server.state.token = 'second';
    expect(await watch()).toBe('open');
    expect(server.seen).toEqual(['first', 'first', 'second']);
  });

  it('is sent without the newline that it ends in', async () => {
    const { server, mount, watch } = await inPod();
    mount('first\n');
    expect(await watch()).toBe('open');
    expect(server.seen).toEqual(['first']);
  });

  it('is read again each minute, before anybody refuses it', async () => {
    const { server, mount, watch } = await inPod();
    expect(await watch()).toBe('open');
    mount('second');
    inAMinute();
    server.state.token = 'second';
    expect(await watch()).toBe('open');
    expect(server.seen).toEqual(['first', 'second']);
  });
});

describe('the token file of a kubeconfig', () => {
  async function filed(more: object = {}) {
    const server = await apiServer({ token: 'first' });
    const path = folder();
    const write = (token: string) => writeFileSync(join(path, 'token'), token);
    write('first\n');
    const text = kubeconfigOf(server.url, { tokenFile: 'token', ...more });
    writeFileSync(join(path, 'kubeconfig'), text);
    const login = { kind: 'kubeconfig', path: join(path, 'kubeconfig') } as const;
    return { server, write, ...(await asking(login)) };
  }

  it('lies beside it, counts more than a token, and may end in a newline', async () => {
    const { server, watch } = await filed({ token: 'other' });
    expect(await watch()).toBe('open');
    expect(server.seen).toEqual(['first']);
  });

  it('is read again each minute, and when it is refused', async () => {
    const { server, write, watch } = await filed();
    await watch();
    write('second\n');
    inAMinute();
    server.state.token = 'second';
    expect(await watch()).toBe('open');
    write('third\n');
    server.state.token = 'third';
    expect(await watch()).toBe('open');
    expect(server.seen).toEqual(['first', 'second', 'second', 'third']);
  });

  it('leaves the token that was while it is being written', async () => {
    const { server, write, watch } = await filed();
    await watch();
    write('');
    inAMinute();
    expect(await watch()).toBe('open');
    expect(server.seen).toEqual(['first', 'first']);
  });

  it('is named where there is none to be had from it', async () => {
    const { server, write, watch } = await filed();
    write('');
    await expect(watch()).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/cannot read the token file .*token$/) },
    });
    expect(server.seen).toEqual([]);
  });
});

describe('the CA of a pod', () => {
  it('is read anew with each connection', async () => {
    const { mountCa, watch } = await inPod();
    mountCa(await makeCa());
    await expect(watch()).rejects.toMatchObject({
      cause: { message: expect.stringContaining('certificate') },
    });
    mountCa(ca);
    expect(await watch()).toBe('open');
  });
});

describe('a client certificate', () => {
  it('opens a watch, and is read from its files anew', async () => {
    const server = await apiServer({ token: 'none' });
    const path = folder();
    const write = async () => {
      const { certificate, key } = await makeLeaf(ca, 'client');
      writeFileSync(join(path, 'tls.crt'), certificate);
      writeFileSync(join(path, 'tls.key'), key);
    };
    await write();
    const user = {
      'client-certificate': join(path, 'tls.crt'),
      'client-key': join(path, 'tls.key'),
    };
    const text = kubeconfigOf(server.url, user);
    const { find, watch } = await asking({ kind: 'kubeconfig-text', text });
    await find();
    await write();
    await find();
    expect(await watch()).toBe('open');
    expect(server.seen).toHaveLength(3);
    expect(server.seen[1]).not.toBe(server.seen[0]);
    expect(server.seen[2]).toBe(server.seen[1]);
  });

  it('that stands in the kubeconfig itself is shown, and one of a stranger is refused', async () => {
    const server = await apiServer({ token: 'none' });
    const show = async (issuer: KeyPair) => {
      const { certificate, key } = await makeLeaf(issuer, 'client');
      const user = {
        'client-certificate-data': base64(certificate),
        'client-key-data': base64(key),
      };
      const { watch } = await asking({
        kind: 'kubeconfig-text',
        text: kubeconfigOf(server.url, user),
      });
      return watch();
    };
    expect(await show(ca)).toBe('open');
    expect(await show(await makeCa())).toBe('forbidden');
  });
});

describe('the socket of a watch', () => {
  it.each(['kubeconfig-text', 'direct'] as const)(
    'is kept alive by the kernel, which asks after 30 silent seconds: %s',
    async (kind) => {
      const server = await apiServer({ token: 'first' });
      const login: Login =
        kind === 'direct'
          ? { kind, server: server.url, ca: ca.certificate, by: { token: 'first' } }
          : { kind, text: kubeconfigOf(server.url, { token: 'first' }) };
      const { watch } = await asking(login);
      expect(await watch()).toBe('open');
      await until(() => aliveTimerOf(server.port) !== undefined);
      expect(aliveTimerOf(server.port)).toBeGreaterThan(20);
      expect(aliveTimerOf(server.port)).toBeLessThanOrEqual(30);
    },
  );
});

/** Of our end of a connection to that port, in seconds; from the table that `ss -o` reads: timer 2, in hundredths. */
function aliveTimerOf(port: number): number | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const table = readFileSync('/proc/self/net/tcp', 'utf8');
  const ticks = new RegExp(`:${hex} 01 \\S+ 02:([0-9A-F]+) `).exec(table)?.[1];
  return ticks === undefined ? undefined : Number.parseInt(ticks, 16) / 100;
}
