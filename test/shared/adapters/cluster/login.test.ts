import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { kubeconfigFor } from './scripted-server.ts';

describe('a login by kubeconfig', () => {
  it('takes server and credentials of the current context', async () => {
    const path = kubeconfigFor('https://cluster.example:6443', { token: 'secret' });
    const session = await openSession({ kind: 'kubeconfig', path });
    expect(session.server.href).toBe('https://cluster.example:6443/');
    expect((await session.options()).headers).toEqual({ Authorization: 'Bearer secret' });
  });

  it('merges several files, the first one saying which context is current', async () => {
    const first = kubeconfigFor('https://one.example', { token: 'one' });
    const second = join(mkdtempSync(join(tmpdir(), 'gatehouse-kubeconfig-')), 'kubeconfig');
    const other = {
      clusters: [{ name: 'c2', cluster: { server: 'https://two.example' } }],
      users: [{ name: 'u2', user: { token: 'two' } }],
      contexts: [{ name: 'x2', context: { cluster: 'c2', user: 'u2' } }],
      'current-context': 'x2',
    };
    writeFileSync(second, JSON.stringify(other));
    const path = [first, second].join(delimiter);

    const current = await openSession({ kind: 'kubeconfig', path });
    const named = await openSession({ kind: 'kubeconfig', path, context: 'x2' });
    expect([current.server.host, named.server.host]).toEqual(['one.example', 'two.example']);
    expect((await named.options()).headers).toEqual({ Authorization: 'Bearer two' });
  });

  it('takes the text of one as well', async () => {
    const path = kubeconfigFor('https://cluster.example:6443', { token: 'secret' });
    const text = readFileSync(path, 'utf8');
    const session = await openSession({ kind: 'kubeconfig-text', text });
    expect(session.server.href).toBe('https://cluster.example:6443/');
    expect((await session.options()).headers).toEqual({ Authorization: 'Bearer secret' });
  });

  it('fails when it is opened, and not later, on a file that is not there', async () => {
    const open = openSession({ kind: 'kubeconfig', path: '/nowhere/kubeconfig' });
    await expect(open).rejects.toThrow('/nowhere/kubeconfig');
  });

  it('fails on a context that nobody defined', async () => {
    const path = kubeconfigFor('https://cluster.example');
    const open = openSession({ kind: 'kubeconfig', path, context: 'other' });
    await expect(open).rejects.toThrow('names no current cluster');
  });
});

describe('a login inside a cluster', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-token-'));
  writeFileSync(join(directory, 'ca.crt'), 'a CA');

  it('reads a renewed token after a refusal', async () => {
    writeFileSync(join(directory, 'token'), 'old');
    const session = await openSession({
      kind: 'in-cluster',
      host: '10.0.0.1',
      port: '443',
      directory,
    });
    const token = async () => (await session.options()).headers;
    expect(await token()).toEqual({ Authorization: 'Bearer old' });

    writeFileSync(join(directory, 'token'), 'new');
    session.renew();
    expect(await token()).toEqual({ Authorization: 'Bearer new' });
    expect(String((await session.options()).ca)).toBe('a CA');
  });

  it.each([
    ['10.0.0.1', '6443', '10.0.0.1:6443'],
    ['fd00::1', '6443', '[fd00::1]:6443'],
  ])('knows the server at %s port %s', async (host, port, expected) => {
    writeFileSync(join(directory, 'token'), 'a');
    const session = await openSession({ kind: 'in-cluster', host, port, directory });
    expect(session.server.host).toBe(expected);
  });
});

it('loads the client when a cluster is opened, and not before', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier.startsWith('@kubernetes/')) seen.push(specifier);
        return next(specifier, context);
      },
    });
    const { wire } = await import('#shared/runtime/wire.ts');
    wire({ settings: { current: () => ({ installation: {} }) } }).portsOf({ name: 'any' });
    const before = seen.length;
    const { openCluster } = await import('#shared/adapters/cluster/open-cluster.ts');
    await openCluster({ login: { kind: 'kubeconfig', path: process.argv[1] } });
    console.log(before, seen[0]);
  `;
  const path = kubeconfigFor('https://cluster.example');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', program, path],
    { encoding: 'utf8' },
  );
  expect(`${stdout}${stderr}`.trim()).toBe('0 @kubernetes/client-node');
});
