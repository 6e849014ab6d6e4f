// First: what is made from here on is of today.
import '#test/support/tuf/at-present.ts';

import type { Partly } from '#infra/emulator/testing/settings-fixed.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { type Signing, trustWorld } from '#test/support/image-trust/trust-world.ts';
import { openHost, type Script } from '#test/support/registry/scripted-host.ts';
import { makeCa, makeLeaf } from '#test/support/tls.ts';
import { rootSigner } from '#test/support/tuf/scene.ts';

export type SigningWorld = Awaited<ReturnType<typeof openSigningWorld>>;

/** A registry with a Notary, and the mirror of another registry, each an HTTPS server of its own on this machine. */
export async function openSigningWorld() {
  const world = trustWorld();
  const script: Script = (request, response, { path }) => {
    const url = `https://${request.headers.host}${path}`;
    const { signal } = new AbortController();
    void world.outside.read({ url, reach: 'public', maxBytes: 1e7, signal }).then((told) => {
      if (told.kind === 'answer') response.writeHead(told.status, told.headers).end(told.body);
      else response.destroy();
    });
  };
  const ca = await makeCa();
  const pair = await makeLeaf(ca, 'localhost');
  const [first, second] = [await openHost(script, pair), await openHost(script, pair)];
  const [registry, mirror] = [`localhost:${first.port}`, `localhost:${second.port}`];
  const notary = `https://${registry}`;
  const hosts = [registry, mirror].map((host) => ({
    host,
    plainHttp: false,
    ca: ca.certificate,
    addresses: ['127.0.0.0/8', '::1/128'],
  }));
  const settings: Partly<Settings>['imageTrust'] = {
    hosts,
    userHosts: [registry],
    notary: { URL: notary, timeout: '5s' },
    // What is revoked is noticed while the test waits.
    lifetimes: { fresh: '500ms', untrusted: '200ms', unavailable: '1s', tags: '100ms' },
    operator: { podReconcilerRequeueAfter: '1s' },
  };
  return {
    ...{ registry, mirror, notary, settings },
    /** Somebody else's, or the same one's after a loss. */
    anotherRoot: rootSigner,
    push: world.push,
    sign: (gun: string, signed: Readonly<Record<string, string>>, more: Signing = {}) =>
      world.sign(gun, signed, { server: notary, ...more }),
    close: async () => {
      await Promise.all([first.close(), second.close()]);
    },
  };
}
