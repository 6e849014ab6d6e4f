import { afterEach, describe, expect, it } from 'vitest';
import type { Outside } from '#shared/domain/outside.ts';
import { send } from '#test/support/registry/memory-registry.ts';
import { openWorld } from '#test/support/registry/outside-world.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { as, passwordAt, registryOver } from '#test/support/registry/registry-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const world = openWorld();
afterEach(() => world.close());

const image = makeImage('app').manifest;
const shown = `/v2/team/app/manifests/${image.digest}`;
const unheard: Script = (_, response) => response.writeHead(404).end();

/** Of a registry that has nothing but what it says when it is asked for the image; `onTold` hears whose answer is there. */
async function open(look: Script, onTold?: (path: string) => void) {
  const { host, heard } = await world.open('registry.test', (request, response, told) => {
    (told.path === shown ? look : unheard)(request, response, told);
  });
  const place = { registry: host, repository: 'team/app' };
  const looks = () => heard.filter(({ path }) => path === shown).length;
  const outside = world.outside();
  const read: Outside['read'] = async (request) => {
    const answer = await outside.read(request);
    // By then whoever asked has gone on to what comes next.
    setImmediate(() => onTold?.(new URL(request.url).pathname));
    return answer;
  };
  return { host, place, looks, registry: registryOver({ ...outside, read }) };
}

const tagOf = (place: { readonly registry: string; readonly repository: string }) => ({
  ...{ ...place, tag: 'proof', subject: image.digest },
});

describe('the look at an image whose proof is missing', () => {
  it.each<[string, number, object]>([
    ['fails', 503, { kind: 'unavailable', why: 'server-error' }],
    ['is put off', 429, { kind: 'unavailable', why: 'busy' }],
    ['is refused', 403, { kind: 'refused', why: 'denied' }],
    ['finds nothing', 404, { kind: 'refused', why: 'denied' }],
  ])('that %s is told as what it is', async (_, status, outcome) => {
    const { host, place, registry } = await open((_request, response) =>
      response.writeHead(status).end(),
    );
    for (const logins of [[], [passwordAt(host, 'ann', 'word')]]) {
      expect(await registry.manifest(tagOf(place), as(logins))).toMatchObject(outcome);
    }
  });

  it('is one look, though two ask at once', async () => {
    const both = Promise.withResolvers<void>();
    const told: string[] = [];
    const { place, looks, registry } = await open(
      (_, response) => void both.promise.then(() => send(response, image)),
      (path) => {
        if (told.push(path) === 2) both.resolve();
      },
    );
    const asked = ['one', 'other'].map((tag) => registry.manifest({ ...tagOf(place), tag }, as()));
    expect(await Promise.all(asked)).toMatchObject([{ kind: 'not-found' }, { kind: 'not-found' }]);
    expect(looks()).toBe(1);
  });

  it('is begun again where whoever began it gave up', async () => {
    const leaving = new AbortController();
    const begun = Promise.withResolvers<void>();
    const { place, looks, registry } = await open(
      (_, response) => {
        if (looks() > 1) send(response, image);
        else begun.resolve();
      },
      (path) => {
        if (path.endsWith('/other')) leaving.abort();
      },
    );
    const first = registry.manifest(tagOf(place), as([], { signal: leaving.signal }));
    await begun.promise;
    const second = registry.manifest({ ...tagOf(place), tag: 'other' }, as());
    expect(await first).toMatchObject({ kind: 'unavailable' });
    expect(await second).toMatchObject({ kind: 'not-found' });
  });

  it('by one account is not the look of another', async () => {
    const { host, place, looks, registry } = await open((_, response) => send(response, image));
    const logins = [passwordAt(host, 'ann', 'word')];
    await Promise.all([
      registry.manifest(tagOf(place), as()),
      registry.manifest(tagOf(place), as(logins)),
    ]);
    expect(looks()).toBe(2);
  });
});
