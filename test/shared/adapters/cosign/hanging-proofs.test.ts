import { setImmediate as othersTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openCosign } from '#shared/adapters/cosign/open-cosign.ts';
import { signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import type { Outside } from '#shared/domain/outside.ts';
import {
  bundleContent,
  bundleManifest,
  bundleType,
  keyBundle,
  referrersIndex,
} from '#test/support/cosign/bundle.ts';
import { authorityOf, now } from '#test/support/cosign/signed-registry.ts';
import {
  keySigner,
  layerBy,
  payloadOf,
  signatureManifest,
  statementOf,
} from '#test/support/cosign/signing.ts';
import { memoryRegistry, send } from '#test/support/registry/memory-registry.ts';
import { openWorld } from '#test/support/registry/outside-world.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { as, registryOver } from '#test/support/registry/registry-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const world = openWorld();
afterEach(() => world.close());

const owner = keySigner();
const team = authorityOf({ keys: [owner.pem] });
const image = makeImage('app').manifest;
const repository = 'team/app';
const referrers = `/v2/${repository}/referrers/${image.digest}`;
const trusted = { kind: 'trusted', digest: image.digest };
const silent: Script = () => {};

/** One that says nothing is waited for longer than a test lasts. */
async function verify(origin: Script, mirror: Script, through = (outside: Outside) => outside) {
  const own = await world.open('origin.test', origin);
  const { host } = await world.open('mirror.test', mirror);
  const deadlineMs = 60_000;
  const mirrors = [{ of: own.host, at: host }];
  const registry = registryOver(through(world.outside({ deadlineMs })), { mirrors, deadlineMs });
  return openCosign({ registry, readText: async () => '' }).verify({
    image: { registry: own.host, repository, tag: '1.0', digest: undefined },
    ...{ authorities: [team], access: as(), now },
    signal: new AbortController().signal,
  });
}

/** With a signature under its tag. */
function keptSigned() {
  const kept = keptImage();
  const layer = layerBy(owner, payloadOf({ digest: image.digest }));
  kept.keepBlob(repository, layer.content);
  kept.keep(repository, signatureManifest([layer]), signatureTag(image.digest));
  return kept;
}

function keptImage() {
  const kept = memoryRegistry();
  kept.keep(repository, image, '1.0');
  return kept;
}

describe('a good signature', () => {
  it.each<[string, Script]>([
    ['lists nothing', (_, response) => send(response, referrersIndex([]))],
    ['has no such list', (_, response) => response.writeHead(404).end()],
    ['says nothing of a list', silent],
  ])('at a mirror that %s waits for no registry behind it', async (_, listing) => {
    const kept = keptSigned();
    const judgement = await verify(silent, (request, response, heard) => {
      (heard.path === referrers ? listing : kept.script)(request, response, heard);
    });
    expect(judgement).toMatchObject(trusted);
  });

  it('takes no harm from a list that fails later', async () => {
    const later = Promise.withResolvers<never>();
    const judgement = await verify(silent, keptSigned().script, (outside) => ({
      ...outside,
      read: (request) => (request.url.includes(referrers) ? later.promise : outside.read(request)),
    }));
    expect(judgement).toMatchObject(trusted);
    // Unhandled, it would end the process; here the run of the tests.
    later.reject(new Error('a fault of ours'));
    await othersTurn();
  });

  it('waits for no older one that is never sent', async () => {
    const kept = keptImage();
    const older = layerBy(owner, payloadOf({ digest: image.digest, annotations: { at: 1 } }));
    const newer = layerBy(owner, payloadOf({ digest: image.digest, annotations: { at: 2 } }));
    kept.keepBlob(repository, newer.content);
    kept.keep(repository, signatureManifest([older, newer]), signatureTag(image.digest));
    const judgement = await verify(silent, (request, response, heard) => {
      if (!heard.path.endsWith(older.content.digest)) kept.script(request, response, heard);
    });
    expect(judgement).toMatchObject(trusted);
  });

  it('waits for no older one that is listed, though nobody sends that', async () => {
    const kept = keptImage();
    const [older, newer] = [1, 2].map((at) => {
      const statement = statementOf({ digest: image.digest, annotations: { at } });
      const bundle = bundleContent(keyBundle(owner, statement));
      kept.keepBlob(repository, bundle);
      return { content: bundleManifest(bundle, image), artifactType: bundleType };
    });
    if (older === undefined || newer === undefined) throw new Error('nobody has signed');
    kept.keep(repository, newer.content);
    const judgement = await verify(kept.script, (request, response, heard) => {
      if (heard.path === referrers) send(response, referrersIndex([older, newer]));
      else if (!heard.path.endsWith(older.content.digest)) kept.script(request, response, heard);
    });
    expect(judgement).toMatchObject(trusted);
  });
});
