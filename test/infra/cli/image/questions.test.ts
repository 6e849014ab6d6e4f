import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sayError } from '#infra/cli/output.ts';
import { type EmulatedCluster, emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { modeLabel, userAnnotations } from '#shared/domain/image-trust/label-keys.ts';
import { type Kind, namespaces, pods, secrets, serviceAccounts } from '#shared/domain/kind.ts';
import type { Cluster } from '#shared/ports.ts';
import {
  both,
  next,
  none,
  old,
  report,
  rowsIn,
  signedTwoWays as world,
} from '#test/support/image-trust/reporting.ts';
import { basicFor } from '#test/support/registry/memory-registry.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-report-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('gatehouse image report on a cluster', () => {
  let emulated: EmulatedCluster;
  let cluster: Cluster & { close(): void };
  const kubeconfig = join(folder, 'kubeconfig');
  beforeAll(async () => {
    emulated = await emulatedCluster();
    writeFileSync(kubeconfig, emulated.tokenKubeconfig, { mode: 0o600 });
    const login = { kind: 'kubeconfig-text', text: emulated.tokenKubeconfig } as const;
    cluster = await openCluster({ login });
    await namespace(
      'own',
      { [modeLabel]: 'user' },
      { [userAnnotations.url]: 'https://own.example' },
    );
    await namespace('one', { [modeLabel]: 'system' });
    await namespace('two', { [modeLabel]: 'enabled' });
    await namespace('broken', { [modeLabel]: 'user' });
    await namespace('off', {});
    await pod('one', 'web', [both, old], { imagePullSecrets: [{ name: 'pull' }] });
    await pod('two', 'web', [both]);
    await pod('two', 'again', [both]);
    await pod('two', 'over', [none], {}, 'Succeeded');
    await pod('own', 'web', [both]);
    await pod('broken', 'web', [both]);
    await pod('off', 'web', [next]);
  });
  afterAll(async () => {
    cluster.close();
    await emulated.close();
  });

  async function make(kind: Kind, object: object): Promise<void> {
    const made = await cluster.create(kind, {
      apiVersion: 'v1',
      kind: kind.kind,
      ...object,
    } as never);
    expect(made.kind).toBe('written');
  }

  async function namespace(name: string, labels: object, annotations: object = {}) {
    await make(namespaces, { metadata: { name, labels, annotations } });
    await make(serviceAccounts, { metadata: { name: 'default', namespace: name } });
  }

  async function pod(
    namespace: string,
    name: string,
    images: readonly string[],
    more: object = {},
    phase = 'Running',
  ) {
    const containers = images.map((image, at) => ({ name: `c${at}`, image }));
    await make(pods, { metadata: { name, namespace }, spec: { containers, ...more } });
    const target = { kind: pods, namespace, name, subresource: 'status' };
    const written = await cluster.patch(target, { type: 'merge', body: { status: { phase } } });
    expect(written.kind).toBe('written');
  }

  const on = async (...argv: readonly string[]) => {
    const given = await world();
    const { exit, out } = await report(given, '--kubeconfig', kubeconfig, '-o', 'json', ...argv);
    return { exit, rows: rowsIn(out), visits: given.visits };
  };
  const good = 'notary trusted, cosign trusted, rules trusted';

  it('judges what runs by the rules of its namespace, and joins what is the same', async () => {
    const { exit, rows } = await on();
    expect(exit).toBe(1);
    expect(rows).toEqual([
      { image: both, by: good, namespaces: ['one', 'two'], pods: 3 },
      {
        image: both,
        by: 'notary untrusted, cosign trusted, rules untrusted',
        namespaces: ['broken'],
        pods: 1,
      },
      {
        image: both,
        by: 'notary untrusted, cosign trusted, rules untrusted',
        namespaces: ['own'],
        pods: 1,
      },
      {
        image: old,
        by: 'notary trusted, cosign untrusted, rules trusted',
        namespaces: ['one'],
        pods: 1,
      },
    ]);
  });

  it('looks at the namespaces that are named, and by the platform’s rules where nothing is verified', async () => {
    const unverified = {
      image: next,
      by: 'notary untrusted, cosign trusted, rules untrusted',
      namespaces: ['off'],
      pods: 1,
    };
    expect(await on('-n', 'two')).toMatchObject({
      exit: 0,
      rows: [{ image: both, by: good, namespaces: ['two'], pods: 2 }],
    });
    expect((await on('-n', 'off')).rows).toEqual([unverified]);
    expect((await on('--all')).rows).toContainEqual(unverified);
    await expect(on('-n', 'else')).rejects.toThrow(/there is no namespace else/);
  });

  it('shows registries the pull secrets of the pods', async () => {
    const auths = { 'registry.example': { username: 'ann', password: 'secret' } };
    const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
    const type = 'kubernetes.io/dockerconfigjson';
    await make(secrets, { metadata: { name: 'pull', namespace: 'one' }, type, data });
    const given = await world();
    const { rule } = given.instead;
    given.instead.rule = (request) =>
      request.url.includes('registry.example/v2') &&
      request.authorization !== basicFor('ann', 'secret')
        ? answer(401, { 'www-authenticate': 'Basic realm="r"' })
        : rule?.(request);
    const { out } = await report(
      given,
      '--kubeconfig',
      kubeconfig,
      '-o',
      'json',
      '-n',
      'one',
      '-n',
      'two',
    );
    expect(rowsIn(out)).toMatchObject([
      { image: both, by: good, namespaces: ['one'] },
      { image: both, by: expect.stringContaining('rules untrusted'), namespaces: ['two'] },
      { image: old, by: expect.stringContaining('rules trusted') },
    ]);
  });

  it('says nothing of all that runs where it was stopped before it knew', async () => {
    const given = { ...(await world()), signal: AbortSignal.abort() };
    const { exit, out } = await report(given, '--kubeconfig', kubeconfig, '-o', 'json');
    expect(exit).toBe(2);
    expect(JSON.parse(out)).toEqual({ images: [], notAsked: 0, complete: false, unheard: [] });
  });

  it('says what is missing where no cluster is named', async () => {
    await expect(report(await world())).rejects.toThrow(/no images are named/);
  });

  it('says which file of a cluster it cannot use', async () => {
    const failed = await report(await world(), '--kubeconfig', '/nowhere').catch(
      (cause: unknown) => cause,
    );
    const said = sayError(failed, { debug: false });
    expect(said).toContain('gatehouse: the login at the cluster cannot be used\n');
    expect(said).toMatch(/because: .*\/nowhere/);
  });
});
