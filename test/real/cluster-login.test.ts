import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Login } from '#shared/adapters/cluster/login.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { namespaces } from '#shared/domain/kind.ts';

const kube = inject('kube');

async function opened(login: Login) {
  const cluster = await openCluster({ login });
  onTestFinished(() => cluster.close());
  return cluster;
}

describe('a login at a real kube-apiserver', () => {
  it('from inside the cluster outlives its token', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-token-'));
    const { hostname: host, port } = new URL(kube.url);
    writeFileSync(join(directory, 'ca.crt'), kube.ca);
    writeFileSync(join(directory, 'token'), 'expired');
    const cluster = await opened({ kind: 'in-cluster', host, port, directory });

    const target = { kind: namespaces, name: 'default' };
    await expect(cluster.find(target)).rejects.toThrow('401 Unauthorized');
    writeFileSync(join(directory, 'token'), kube.token);
    expect(await cluster.find(target)).toMatchObject({ metadata: { name: 'default' } });
  });

  it('trusts no server but its own', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-token-'));
    const { hostname: host, port } = new URL(kube.url);
    writeFileSync(join(directory, 'ca.crt'), '');
    writeFileSync(join(directory, 'token'), kube.token);
    const cluster = await opened({ kind: 'in-cluster', host, port, directory });
    const find = cluster.find({ kind: namespaces, name: 'default' });
    await expect(find).rejects.toMatchObject({
      message: 'cannot get namespaces default: no answer',
      cause: { message: expect.stringContaining('certificate') },
    });
  });
});
