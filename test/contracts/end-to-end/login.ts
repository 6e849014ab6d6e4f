import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { namespaces } from '#shared/domain/kind.ts';

type Served = { readonly url: string; readonly ca: string; readonly token: string };

/** Our login at a server by the files that a pod is given. */
export function loginContract(whose: string, server: Served): void {
  const target = { kind: namespaces, name: 'default' };

  async function inside(files: Readonly<Record<'ca.crt' | 'token', string>>) {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-token-'));
    const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
    for (const [name, text] of Object.entries(files)) write(name, text);
    const { hostname: host, port } = new URL(server.url);
    const cluster = await openCluster({ login: { kind: 'in-cluster', host, port, directory } });
    onTestFinished(() => {
      cluster.close();
      rmSync(directory, { recursive: true });
    });
    return { cluster, write };
  }

  describe(`a login at ${whose}`, () => {
    it('from inside the cluster outlives its token', async () => {
      const { cluster, write } = await inside({ 'ca.crt': server.ca, token: 'expired' });
      await expect(cluster.find(target)).rejects.toThrow('401 Unauthorized');
      write('token', server.token);
      expect(await cluster.find(target)).toMatchObject({ metadata: { name: 'default' } });
    });

    it('trusts no server but its own', async () => {
      const { cluster } = await inside({ 'ca.crt': '', token: server.token });
      await expect(cluster.find(target)).rejects.toMatchObject({
        message: 'cannot get namespaces default: no answer',
        cause: { message: expect.stringContaining('certificate') },
      });
    });
  });
}
