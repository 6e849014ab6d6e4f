import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lock } from '#infra/emulator/cluster/state/lock.ts';
import { type Client, configMap, openClient } from '../emulated.ts';

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-state-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const at = '/api/v1/namespaces/default/configmaps';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.io' },
  spec: {
    ...{ group: 'example.io', scope: 'Namespaced', names: { kind: 'Thing', plural: 'things' } },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
};

/** The server's own controller says so soon after. */
async function isServed({ ask }: Client): Promise<boolean> {
  return (await ask('GET /apis/example.io/v1/things')).status === 200;
}

describe('the state of a cluster', () => {
  it('is there again after a restart, with its versions, uids, keys and custom kinds', async () => {
    const directory = folder();
    const first = await openClient({ directory });
    await first.ask('POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: definition,
    });
    await expect.poll(() => isServed(first), { timeout: 10_000 }).toBe(true);
    const thing = { apiVersion: 'example.io/v1', kind: 'Thing', metadata: { name: 't' } };
    await first.ask('POST /apis/example.io/v1/namespaces/default/things', { body: thing });
    const { body } = await first.ask(`POST ${at}`, { body: configMap('a') });
    await first.ask(`POST ${at}`, { body: configMap('gone') });
    await first.ask(`DELETE ${at}/gone`);
    const revision = first.cluster.revision();
    await first.cluster.close();

    // At another port it would say so in its own endpoints.
    const port = Number(new URL(first.cluster.url).port);
    const again = await openClient({ directory, port });
    onTestFinished(() => again.cluster.close());
    expect([again.cluster.isResumed, again.cluster.revision()]).toEqual([true, revision]);
    expect((await again.ask(`GET ${at}/a`)).body).toEqual(body);
    expect((await again.ask(`GET ${at}/gone`)).status).toBe(404);
    expect((await again.ask('GET /apis/example.io/v1/namespaces/default/things/t')).status).toBe(
      200,
    );
    expect(again.cluster.tokenKubeconfig.split('token')[1]).toBe(
      first.cluster.tokenKubeconfig.split('token')[1],
    );
    expect(again.cluster.ca).toBe(first.cluster.ca);
  });

  it('loses no more than a last line that was half written, and says so', async () => {
    const directory = folder();
    const first = await openClient({ directory });
    await first.ask(`POST ${at}`, { body: configMap('a') });
    await first.cluster.close();
    appendFileSync(join(directory, 'state.log'), '{"r":999,"k":"configmaps","o":{"metad');

    const said: string[] = [];
    const again = await openClient({ directory, log: (line) => said.push(line) });
    expect(said).toEqual([expect.stringContaining('was half written, and is dropped')]);
    await again.ask(`POST ${at}`, { body: configMap('b') });
    await again.cluster.close();

    const third = await openClient({ directory });
    onTestFinished(() => third.cluster.close());
    const found = await Promise.all(['a', 'b'].map((name) => third.ask(`GET ${at}/${name}`)));
    expect(found.map(({ status }) => status)).toEqual([200, 200]);
  });

  it.each([
    [
      'of a newer version',
      '{"gatehouse":"cluster","version":99,"revision":5}\n',
      /written by a newer gatehouse/,
    ],
    ['of something else', 'something else\n', /is no state of a cluster/],
    [
      'that is broken in the middle',
      '{"gatehouse":"cluster","version":1,"revision":5}\nbroken\n{"r":6,"k":"x","d":"y"}\n',
      /is broken at byte \d+: repair it/,
    ],
  ])('%s is refused and not touched', async (_, text, why) => {
    const directory = folder();
    writeFileSync(join(directory, 'state.log'), text);
    await expect(openClient({ directory })).rejects.toThrow(why);
    expect(readFileSync(join(directory, 'state.log'), 'utf8')).toBe(text);
    // And is free for whoever mends it.
    await (await lock(directory))();
  });

  it('belongs to one process, until that one is gone', async () => {
    const directory = folder();
    const first = await openClient({ directory });
    await expect(openClient({ directory })).rejects.toThrow(/is in use by process \d+/);
    await first.cluster.close();
    const next = await openClient({ directory });
    await next.cluster.close();
  });

  it('is for nobody else to read', async () => {
    const directory = folder();
    const { cluster } = await openClient({ directory });
    await cluster.close();
    expect(statSync(join(directory, 'keys.json')).mode & 0o077).toBe(0);
  });
});
