import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { firstContact } from '#infra/emulator/dev/against/first-contact.ts';
import { readKubeconfig } from '#infra/emulator/dev/against/kubeconfig.ts';
import { manifestsThere } from '#infra/emulator/dev/against/manifests-there.ts';
import { markOf } from '#infra/emulator/dev/against/mark.ts';
import {
  cleaning,
  making,
  refusedThere,
  refuseWithoutRights,
} from '#infra/emulator/dev/against/rights-there.ts';
import { wayBackFrom, wayFrom } from '#infra/emulator/dev/against/way-here.ts';
import { type Installer, openInstaller } from '#infra/emulator/dev/install.ts';
import { loadFunctions } from '#infra/functions.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { defaultSettings } from '#shared/runtime/config/load.ts';
import { openRegistry } from '#shared/runtime/registry.ts';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-against-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the way from an API server to this machine', () => {
  it.each([
    ['a name', 'laptop.example', { host: 'laptop.example', address: '0.0.0.0' }],
    [
      'an address and a port',
      '10.0.0.7:8443',
      { host: '10.0.0.7', address: '0.0.0.0', port: 8443 },
    ],
    ['an IPv6 address', 'fd00::7', { host: 'fd00::7', address: '0.0.0.0' }],
    ['this machine itself', 'localhost', { host: 'localhost', address: '127.0.0.1' }],
    ['an address of a page', 'https://laptop', undefined],
    ['a port that is none', 'laptop:99999', undefined],
    ['nothing', '', undefined],
  ])('is found in %s', (_, stated, way) => {
    expect(wayFrom(stated)).toEqual(way);
  });

  it.each([
    ['https://127.0.0.1:6443', 'localhost'],
    ['https://localhost:6443', 'localhost'],
    ['https://[::1]:6443', 'localhost'],
    ['https://10.0.0.7:6443', undefined],
    ['https://127.example:6443', undefined],
  ])('is known of %s without being told, or not', (server, host) => {
    expect(wayBackFrom(new URL(server))?.host).toBe(host);
  });
});

describe('what another cluster is given', () => {
  const given = async (host: string | undefined): Promise<readonly KubeObject[]> => {
    const loaded = await loadFunctions({ builtIn: true });
    const opened = loaded.ok ? openRegistry(loaded.found) : loaded;
    if (!opened.ok) throw new Error('no functions');
    return manifestsThere(opened.registry, defaultSettings, { mark: 'mine', host });
  };
  const isWebhook = ({ kind }: KubeObject) => kind.endsWith('WebhookConfiguration');

  it('carries our mark, and makes no namespace but ours and no Service', async () => {
    const manifests = await given('laptop');
    expect(new Set(manifests.map(markOf))).toEqual(new Set(['mine']));
    const names = manifests
      .filter(({ kind }) => kind === 'Namespace')
      .map((each) => each.metadata.name);
    expect(names).toEqual([defaultSettings.installation.namespace]);
    expect(manifests.some(({ kind }) => kind === 'Service')).toBe(false);
  });

  it('calls us by address, and goes on where we are not there', async () => {
    const webhooks = (await given('fd00::7')).filter(isWebhook).flatMap((each) => each['webhooks']);
    expect(webhooks.length).toBeGreaterThan(0);
    for (const hook of webhooks.filter(isJsonObject)) {
      expect(hook).toMatchObject({ failurePolicy: 'Ignore' });
      expect(hook['clientConfig']).toEqual({
        url: expect.stringMatching(/^https:\/\/\[fd00::7\]:\d+\//),
      });
    }
  });

  it('is no webhook where nobody can call us', async () => {
    expect((await given(undefined)).filter(isWebhook)).toEqual([]);
  });
});

describe('a kubeconfig', () => {
  const written = (text: string) => {
    const path = join(directory, 'kubeconfig');
    writeFileSync(path, text);
    return path;
  };
  const cluster = { server: 'https://there:6443', 'certificate-authority': 'ca.crt' };

  it('is read for its current cluster, which somebody else then logs in to', async () => {
    const path = written(
      JSON.stringify({
        'current-context': 'b',
        contexts: [
          { name: 'a', context: { cluster: 'other', user: 'me' } },
          { name: 'b', context: { cluster: 'one', user: 'me' } },
        ],
        clusters: [{ name: 'one', cluster }],
        users: [{ name: 'me', user: { token: 'secret' } }],
      }),
    );
    const { server, context, textFor } = await readKubeconfig(path);
    expect([server.host, context]).toEqual(['there:6443', 'b']);
    const text = textFor('theirs');
    expect(text).toContain('"token":"theirs"');
    expect(text).toContain(join(directory, 'ca.crt'));
    expect(text).not.toContain('secret');
  });

  it.each([
    ['no YAML', '{{', /: .*/],
    ['a list', '[]', /it is no kubeconfig/],
    ['no current context', 'clusters: []', /its current context \(none\) names no server/],
  ])('with %s is refused with its path', async (_, text, where) => {
    await expect(readKubeconfig(written(text))).rejects.toMatchObject({
      message: 'the kubeconfig cannot be used',
      where: expect.stringMatching(where),
    });
  });
});

describe('the first question to another cluster', () => {
  const kubeconfigOf = (server: string) => {
    const path = join(directory, 'there');
    const cluster = { server, 'insecure-skip-tls-verify': true };
    const config = {
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: 'wrong' } }],
    };
    writeFileSync(path, JSON.stringify(config));
    return path;
  };

  it.each([
    [401, 'the cluster does not know who we are', /log in anew, until kubectl .* answers/],
    [403, 'the cluster does not let us look at it', /the kubeconfig of an administrator/],
    [500, 'the cluster does not answer', /see from here why kubectl/],
  ])('that is answered by %d is told with what to do', async (status, message, mend) => {
    const server = createServer((_, answer) => {
      const body = { kind: 'Status', apiVersion: 'v1', code: status, message: 'no' };
      answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const path = kubeconfigOf(`http://127.0.0.1:${port}`);
    await expect(firstContact(path)).rejects.toMatchObject({
      message,
      where: [path, expect.stringContaining(`${status}`)],
      mend: expect.stringMatching(mend),
    });
    server.close();
  });

  it('that nobody answers names the address', async () => {
    const path = kubeconfigOf('http://127.0.0.1:1');
    await expect(firstContact(path)).rejects.toMatchObject({
      message: 'the cluster does not answer',
      cause: expect.objectContaining({ message: expect.stringContaining('127.0.0.1:1') }),
    });
  });
});

describe('an account in another cluster', () => {
  const rightsOf = async (rules: readonly object[]) => {
    const cluster = await emulatedCluster();
    onTestFinished(() => cluster.close());
    const { users } = JSON.parse(cluster.tokenKubeconfig);
    const by = users[0].user;
    const { url: server, ca } = cluster;
    const installer = await openInstaller({ kind: 'direct', server, ca, by });
    const token = await accountToken(installer, rules);
    const own = await openCluster({ login: { kind: 'direct', server, ca, by: { token } } });
    onTestFinished(() => {
      own.close();
      installer.close();
    });
    return own;
  };
  const all = { apiGroups: ['*'], resources: ['*'] };
  const errand = { path: 'there', verbs: making, registersWebhooks: true };

  it('that may only read is told which rights it lacks, and what to do', async () => {
    const own = await rightsOf([{ ...all, verbs: ['get', 'list', 'watch'] }]);
    await expect(refuseWithoutRights(own, errand)).rejects.toMatchObject({
      message: 'this account may not do in the cluster what is to be done there',
      where: expect.arrayContaining([
        'there',
        'it may not create, patch, delete clusterroles.rbac.authorization.k8s.io',
        'it may not create, patch, delete mutatingwebhookconfigurations.admissionregistration.k8s.io',
        'it may not create, patch, delete namespaces',
      ]),
      mend: expect.stringContaining('the kubeconfig of an administrator'),
    });
    await expect(refuseWithoutRights(own, { ...errand, verbs: cleaning })).rejects.toMatchObject({
      where: expect.arrayContaining(['it may not delete namespaces']),
    });
  });

  it('that registers no webhooks needs no rights for them', async () => {
    const roles = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'];
    const core = ['namespaces', 'serviceaccounts', 'configmaps'];
    const own = await rightsOf([
      { apiGroups: ['*'], resources: [...roles, ...core], verbs: ['*'] },
    ]);
    await refuseWithoutRights(own, { ...errand, registersWebhooks: false });
    await expect(refuseWithoutRights(own, errand)).rejects.toMatchObject({
      where: ['there', expect.stringContaining('mutating'), expect.stringContaining('validating')],
    });
  });

  it('that grants more than it has is told so, and of anything else as it was', () => {
    const refused = Object.assign(new Error('403 is attempting to grant'), {
      name: 'ClusterRefused',
      status: 403,
    });
    expect(refusedThere(refused, 'there')).toMatchObject({
      where: ['there', '403 is attempting to grant'],
      mend: expect.stringContaining('must have the rights in it'),
    });
    const other = new Error('the disk is full');
    expect(refusedThere(other, 'there')).toBe(other);
  });
});

/** Of a service account with these rights everywhere. */
async function accountToken(
  { cluster: admin, token }: Installer,
  rules: readonly object[],
): Promise<string> {
  const rbac = 'rbac.authorization.k8s.io';
  const of = (group: string, kind: string, namespaced: boolean) => ({
    ...{ group, kind, namespaced, version: 'v1', resource: `${kind.toLowerCase()}s` },
  });
  const metadata = { name: 'reader' };
  const at = { namespace: 'default', name: 'reader' };
  await admin.create(of('', 'ServiceAccount', true), {
    ...{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: at },
  });
  await admin.create(of(rbac, 'ClusterRole', false), {
    ...{ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules: rules as JsonObject[] },
  });
  await admin.create(of(rbac, 'ClusterRoleBinding', false), {
    ...{ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'reader' },
    subjects: [{ kind: 'ServiceAccount', ...at }],
  });
  return token(at);
}
