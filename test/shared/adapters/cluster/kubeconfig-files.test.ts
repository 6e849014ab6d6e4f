import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { answering, kubeconfigFor } from './scripted-server.ts';
import { forever, maps, streamFrom } from './stream/streaming-server.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-kubeconfigs-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

function written(name: string, content: object | string): string {
  const path = join(folder(), name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** All of them call cluster and user as kubeadm does. */
const config = (name: string, isCurrent = true) => ({
  clusters: [{ name: 'kubernetes', cluster: { server: `https://${name}.example` } }],
  users: [{ name: 'admin', user: { token: name } }],
  contexts: [{ name, context: { cluster: 'kubernetes', user: 'admin' } }],
  ...(isCurrent ? { 'current-context': name } : {}),
});
const one = () => written('one', config('one'));
const two = () => written('two', config('two'));

async function openedBy(paths: readonly string[], context?: string) {
  const path = paths.join(delimiter);
  const session = await openSession({ kind: 'kubeconfig', path, context });
  onTestFinished(session.close);
  const { headers } = await session.options();
  return `${session.server.host} ${JSON.stringify(headers)}`;
}

describe('several kubeconfigs', () => {
  const byOne = 'one.example {"Authorization":"Bearer one"}';

  it.each<[string, () => readonly string[], string?]>([
    ['the first says what a name means', () => [one(), two()]],
    ['a context of the second has the names of the first', () => [one(), two()], 'two'],
    ['one before is missing', () => ['/nowhere/kubeconfig', one()]],
    ['one behind is missing', () => [one(), '/nowhere/kubeconfig']],
    ['one is empty', () => [written('empty', ''), one()]],
    ['the first names no context', () => [written('a', { clusters: [], contexts: [] }), one()]],
    ['the first names an empty one', () => [written('a', { 'current-context': '' }), one()]],
  ])('are merged as kubectl merges them: %s', async (_, paths, context) => {
    expect(await openedBy(paths(), context)).toBe(byOne);
  });

  it('are an error where none of them is there', async () => {
    const open = openedBy(['/nowhere/a', '/nowhere/b']);
    await expect(open).rejects.toThrow('there is no kubeconfig at /nowhere/a:/nowhere/b');
  });

  it('are an error where one cannot be read', async () => {
    await expect(openedBy([one(), folder()])).rejects.toThrow('EISDIR');
  });

  it('are an error where the current context is of a user whom none of them has', async () => {
    const { users: _, ...rest } = config('one');
    await expect(openedBy([written('a', rest)])).rejects.toThrow(
      'names the user admin, who is not',
    );
  });
});

describe('a server of plain http', () => {
  it('is asked without credentials, as kubectl does', async () => {
    const page = { kind: 'ConfigMapList', metadata: { resourceVersion: '9' }, items: [] };
    const { stream, requests } = await streamFrom(answering(200, page), {
      login: (server) => {
        const users = [{ name: 'admin', user: { token: 'secret' } }];
        const clusters = [{ name: 'kubernetes', cluster: { server } }];
        const text = JSON.stringify({ ...config('one'), clusters, users });
        return { kind: 'kubeconfig-text', text };
      },
    });
    const listed = await stream.list(maps, { limit: 1, signal: forever });
    expect(listed).toMatchObject({ kind: 'page' });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it('is told who we are where its kubeconfig says that nobody is to be verified', async () => {
    const path = kubeconfigFor('http://cluster.example', { token: 'secret' });
    expect(await openedBy([path])).toContain('Bearer secret');
  });
});
