import { describe, expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { decode } from '#shared/domain/decode.ts';
import { imageTrustSettings } from '#shared/domain/image-trust/settings.ts';
import { sections, verifierKinds, wordsFor } from '#shared/domain/image-trust/verifiers.ts';
import { openProvers } from '#shared/runtime/open-provers.ts';

const settings = settingsFixed().current().imageTrust;
const notary = { url: 'https://n.example', reach: 'internal' } as const;

describe('each verifier', () => {
  it.each(verifierKinds)('has settings, can be demanded, and is opened: %s', (kind) => {
    expect(Object.keys(settings)).toContain(kind);
    expect(Object.keys(sections)).toContain(kind);
    expect(decode(imageTrustSettings, { verifiers: [kind] })).toMatchObject({ ok: true });
    expect(wordsFor(kind).wanted({ settings, authorities: [], notary }).kind).toBe(kind);
    const provers = openProvers({ settings } as Parameters<typeof openProvers>[0]);
    expect(provers[kind]).toMatchObject({ reads: expect.stringMatching(/^(repository|images)$/) });
  });

  it('that nobody knows cannot be demanded, and those that are known are named', () => {
    const read = decode(imageTrustSettings, { verifiers: ['notation'] });
    expect(JSON.stringify(read)).toContain('notary');
    expect(read.ok).toBe(false);
  });
});
