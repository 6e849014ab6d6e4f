// First: what is made from here on is of today.
import '#test/support/tuf/at-present.ts';

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import verifyPod from '#functions/image-trust/verify-pod.ts';
import { explain } from '#infra/cli/explain.ts';
import { painter } from '#infra/cli/output.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { registered } from '#infra/emulator/world/registered.ts';
import { notary, trustWorld } from '#test/support/image-trust/trust-world.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-explain-images-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pod = `
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: shop }
spec:
  containers:
    - { name: app, image: 'registry.example/app:1' }
    - { name: side, image: 'registry.example/side:1' }
    - { name: free, image: 'free.example/any:1' }
`;

const shop = `
apiVersion: v1
kind: Namespace
metadata: { name: shop, labels: { namespaces.warden.kyma-project.io/validate: system } }
`;

async function explained(output: 'text' | 'json') {
  const world = trustWorld();
  const digest = world.push('registry.example/app:1', 'app');
  world.push('registry.example/side:1', 'side');
  await world.sign('registry.example/app', { '1': digest });
  const namespaceFile = join(folder, 'shop.yaml');
  writeFileSync(namespaceFile, shop);
  const printed: string[] = [];
  await explain(
    { filename: '-', entry: '/mutate/pods', output, namespaceFile },
    {
      terminal: {
        print: (text) => printed.push(text),
        complain: () => undefined,
        read: async () => pod,
        paint: painter(false),
      },
      load: async () => ({
        registry: registered([verifyPod]),
        settings: settingsFixed({
          capabilities: ['image-trust'],
          imageTrust: { notary: { URL: notary, allowedRegistries: 'free.example' } },
        }).current(),
        outside: world.outside,
      }),
    },
  );
  return { text: printed.join(''), digest };
}

describe('gatehouse explain, of images', () => {
  it('shows who vouched for each, by which key and until when, or why nobody did', async () => {
    const { text, digest } = await explained('text');
    const lines = text.split('\n').map((line) => line.trim());
    const [trusted, untrusted, allowed] = ['trusted', 'untrusted', 'allowed'].map((word) =>
      lines.findIndex((line) => line.startsWith(`${word} `)),
    );
    expect(lines.slice(trusted, trusted === undefined ? 0 : trusted + 8)).toEqual([
      'trusted  registry.example/app:1',
      `digest     ${digest}`,
      'signed as  registry.example/app:1',
      `notary     ${notary}`,
      expect.stringMatching(/^by {9}[0-9a-f]{64}$/),
      expect.stringMatching(/^until {6}\d{4}-\d\d-\d\dT/),
      expect.stringMatching(/^note {7}its root at /),
      'asked      notary',
    ]);
    expect(text).toContain('denied: Pod images registry.example/side:1 validation failed');
    expect(lines[untrusted ?? 0]).toBe('untrusted  registry.example/side:1');
    expect(lines[(untrusted ?? 0) + 1]).toMatch(/^not-signed: /);
    expect(lines[(allowed ?? 0) + 1]).toBe('needs no signature: free.example is on the list');
    expect(lines[(allowed ?? 0) + 2]).not.toMatch(/^asked/);
  });

  it('says the same to scripts', async () => {
    const { text, digest } = await explained('json');
    const [{ images, admitted, reasons }] = JSON.parse(text);
    expect({ admitted, reasons }).toEqual({
      admitted: false,
      reasons: ['Pod images registry.example/side:1 validation failed'],
    });
    expect(images).toMatchObject([
      { image: 'registry.example/app:1', kind: 'trusted', digest, by: { server: notary } },
      { image: 'registry.example/side:1', kind: 'untrusted', why: 'not-signed' },
      { image: 'free.example/any:1', kind: 'allowed', entry: 'free.example' },
    ]);
  });
});
