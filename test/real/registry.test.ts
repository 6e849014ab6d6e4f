import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOutside } from '#shared/adapters/http/open-outside.ts';
import type { OutsideHost } from '#shared/domain/outside.ts';
import type { KeyPair } from '#shared/ports.ts';
import {
  type DebianRegistry,
  startDebianRegistry,
} from '#test/support/registry/debian-registry.ts';
import { basicFor } from '#test/support/registry/memory-registry.ts';
import { loopback } from '#test/support/registry/outside-world.ts';
import { pushBlob, pushImage, pushManifest } from '#test/support/registry/push.ts';
import {
  contentOf,
  descriptorOf,
  indexType,
  makeImage,
  makeIndex,
} from '#test/support/registry/pushed-image.ts';
import { as, passwordAt, registryOver } from '#test/support/registry/registry-world.ts';
import { openHost, type ScriptedHost } from '#test/support/registry/scripted-host.ts';
import { issueToken } from '#test/support/registry/token-issuer.ts';
import { makeCa, makeLeaf } from '#test/support/tls.ts';

const run = promisify(execFile);
const undo: (() => unknown)[] = [];
afterAll(async () => {
  for (const each of undo.splice(0).toReversed()) await each();
});

function openOver(registry: DebianRegistry, ...others: readonly OutsideHost[]) {
  const own = { host: registry.host, ca: registry.ca, addresses: [...loopback, '::1'] };
  const outside = openOutside({
    hosts: [own, ...others],
    userAgent: 'gatehouse-test',
    deadlineMs: 20_000,
    connectionsPerHost: 4,
  });
  undo.push(outside.close);
  return outside;
}

async function started(login: Parameters<typeof startDebianRegistry>[0]) {
  const registry = await startDebianRegistry(login);
  undo.push(registry.stop);
  return registry;
}

const app = makeImage('app');
const other = makeImage('other');
const index = makeIndex(app.manifest, other.manifest);
const repository = 'team/app';

describe("Debian's docker-registry", () => {
  const world: { registry?: DebianRegistry } = {};
  const theRegistry = () => {
    if (world.registry === undefined) throw new Error('docker-registry has not started');
    return world.registry;
  };
  const place = () => ({ registry: theRegistry().host, repository });
  const client = () => registryOver(openOver(theRegistry()), {}, { now: Date.now() });

  beforeAll(async () => {
    world.registry = await started({ kind: 'none' });
    const target = { ...world.registry, repository };
    await pushImage(target, app, '1.0');
    await pushImage(target, other, '2.0');
    await pushManifest(target, index, 'all');
  });

  it.each([
    ['a tag', { tag: '1.0' }, app.manifest],
    ['a digest', { digest: other.manifest.digest }, other.manifest],
    ['the tag of an index', { tag: 'all' }, index],
  ])('is read by %s, byte for byte', async (_, name, { digest, bytes }) => {
    const read = await client().manifest({ ...place(), ...name }, as());
    expect(read).toMatchObject({ kind: 'found', digest, bytes });
  });

  it('is read as skopeo reads it, and what skopeo has pushed', async () => {
    const { host, certificates } = theRegistry();
    const [from, to] = [`docker://${host}/${repository}:1.0`, `docker://${host}/copied/app:1`];
    const trust = ['--src-cert-dir', certificates, '--dest-cert-dir', certificates];
    await run('skopeo', ['copy', '--insecure-policy', ...trust, from, to]);
    const { stdout } = await run('skopeo', ['inspect', '--raw', '--cert-dir', certificates, to]);
    const read = await client().manifest({ ...place(), repository: 'copied/app', tag: '1' }, as());
    const hash = createHash('sha256').update(stdout).digest('hex');
    expect(read).toMatchObject({ kind: 'found', digest: `sha256:${hash}` });
  });

  it('gives blobs, and says what it has not', async () => {
    const registry = client();
    const blob = { ...place(), digest: app.config.digest, maxBytes: 10_000 };
    expect(await registry.blob(blob, as())).toMatchObject({ bytes: app.config.bytes });
    const missing = { ...blob, digest: `sha256:${'0'.repeat(64)}` } as const;
    expect(await registry.blob(missing, as())).toMatchObject({ kind: 'not-found' });
    const tag = registry.manifest({ ...place(), tag: 'none' }, as());
    expect(await tag).toMatchObject({ kind: 'not-found' });
    const unknown = registry.manifest({ ...place(), repository: 'no/body' }, as());
    expect(await unknown).toMatchObject({ kind: 'not-found' });
  });

  it('keeps referrers under a tag', async () => {
    const query = { ...place(), digest: app.manifest.digest };
    const before = await client().referrers(query, as());
    expect(before).toEqual({ kind: 'found', by: 'tag', descriptors: [] });

    const signature = makeImage('signature', { subject: descriptorOf(app.manifest) });
    const target = { ...theRegistry(), repository };
    await pushBlob(target, signature.config);
    await pushBlob(target, signature.layer);
    await pushManifest(target, signature.manifest, 'signature');
    const manifests = [{ ...descriptorOf(signature.manifest), artifactType: 'a/signature' }];
    const list = contentOf(indexType, { schemaVersion: 2, mediaType: indexType, manifests });
    await pushManifest(target, list, app.manifest.digest.replace(':', '-'));
    const after = await client().referrers({ ...query, artifactType: 'a/signature' }, as());
    expect(after).toMatchObject({
      by: 'tag',
      descriptors: [{ digest: signature.manifest.digest }],
    });
  });

  it('is not trusted without its CA', async () => {
    const outside = openOver({ ...theRegistry(), ca: (await makeCa()).certificate });
    const read = registryOver(outside).manifest(place(), as());
    expect(await read).toMatchObject({ kind: 'unavailable', why: 'tls' });
  });
});

describe("Debian's docker-registry with passwords", () => {
  it('opens to the right one alone', async () => {
    const registry = await started({ kind: 'password' });
    const authorization = basicFor('alice', 'wörd:x');
    await pushImage({ ...registry, repository, authorization }, app, '1.0');
    const client = registryOver(openOver(registry));
    const place = { registry: registry.host, repository, tag: '1.0' };
    const read = (...passwords: readonly string[]) =>
      client.manifest(place, as(passwords.map((each) => passwordAt(registry.host, 'alice', each))));
    expect(await read()).toMatchObject({ kind: 'refused', why: 'denied' });
    expect(await read('wrong')).toMatchObject({ kind: 'refused', why: 'denied' });
    expect(await read('wrong', 'wörd:x')).toMatchObject({ digest: app.manifest.digest });
  });
});

describe("Debian's docker-registry with tokens", () => {
  /** It gives `alice` what she asks for, if she asks for `team/app` only. */
  async function tokenServer(issuer: KeyPair, scopes: string[]): Promise<ScriptedHost> {
    const server = await openHost((_, response, { path, authorization }) => {
      const scope = new URL(path, 'http://localhost').searchParams.get('scope') ?? '';
      scopes.push(scope);
      if (authorization !== basicFor('alice', 'word')) return response.writeHead(401).end();
      const granted = scope.startsWith(`repository:${repository}:`)
        ? scope
        : 'repository:none:pull';
      const token = issueToken(issuer, { user: 'alice', scope: granted });
      return response.end(JSON.stringify({ token, expires_in: 300 }));
    });
    undo.push(server.close);
    return server;
  }

  it('opens to those that its own token server knows, and asks once', async () => {
    const issuerCa = await makeCa();
    const issuer = await makeLeaf(issuerCa, 'issuer');
    const scopes: string[] = [];
    const server = await tokenServer(issuer, scopes);
    const tokenHost = `localhost:${server.port}`;
    const registry = await started({
      kind: 'token',
      realm: `http://${tokenHost}/token`,
      issuer: { ...issuer, certificate: issuerCa.certificate },
    });
    const push = issueToken(issuer, { user: 'ci', scope: `repository:${repository}:pull,push` });
    await pushImage({ ...registry, repository, authorization: `Bearer ${push}` }, app, '1.0');

    const outside = openOver(registry, {
      host: tokenHost,
      plainHttp: true,
      addresses: [...loopback, '::1'],
    });
    const client = registryOver(outside, { tokenServers: { [registry.host]: [tokenHost] } });
    const place = { registry: registry.host, repository, tag: '1.0' };
    const alice = as([passwordAt(registry.host, 'alice', 'word')]);
    expect(await client.manifest(place, alice)).toMatchObject({ digest: app.manifest.digest });
    expect(await client.manifest(place, alice)).toMatchObject({ kind: 'found' });
    expect(scopes).toEqual([`repository:${repository}:pull`]);
    expect(await client.manifest(place, as())).toMatchObject({ kind: 'refused', why: 'denied' });
    const elsewhere = client.manifest({ ...place, repository: 'team/other' }, alice);
    expect(await elsewhere).toMatchObject({ kind: 'refused', why: 'denied' });

    const strict = registryOver(outside).manifest(place, alice);
    expect(await strict).toMatchObject({ kind: 'refused', why: 'token-server' });
  });
});
