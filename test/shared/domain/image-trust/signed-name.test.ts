import { describe, expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { gunOf } from '#shared/domain/image-trust/gun.ts';
import { type OriginOf, signedName, tagOf } from '#shared/domain/image-trust/signed-name.ts';
import { trustFilesIn } from '#shared/domain/image-trust/trust-files.ts';
import { trustText } from '#shared/domain/image-trust/trust-hash.ts';
import { usualRoles } from '#shared/domain/image-trust/tuf/trust.ts';
import { originOf } from '#shared/domain/pod-bootstrap/origin.ts';
import { rulesOf } from '#shared/domain/pod-bootstrap/rewrite.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const itself: OriginOf = () => ({ kind: 'itself' });

function gunIn(image: string, origin = itself, oldDockerNames = false): string {
  const named = signedName(image, origin);
  return named.kind === 'bad' ? named.why : gunOf(named.signed, { oldDockerNames });
}

describe('the name under which an image is signed', () => {
  it.each([
    ['nginx', 'docker.io/library/nginx'],
    ['docker.io/nginx:1', 'docker.io/library/nginx'],
    ['index.docker.io/team/app', 'docker.io/team/app'],
    ['Registry.Example:5000/app:1', 'registry.example:5000/app'],
    [`eu.gcr.io/kyma/app@${digest}`, 'eu.gcr.io/kyma/app'],
  ])('of %s is %s', (image, gun) => {
    expect(gunIn(image)).toBe(gun);
  });

  it('is the old one for Docker Hub alone, behind the switch', () => {
    expect(gunIn('nginx', itself, true)).toBe('index.docker.io/library/nginx');
    expect(gunIn('a.example/nginx', itself, true)).toBe('a.example/nginx');
  });

  const rules = rulesOf({
    overrides: { 'docker.io': 'mirror.corp/hub' },
    pathOverrides: {},
    dockerHubNames: true,
  });
  const rewriting: OriginOf = (image) => originOf(image, rules);

  it.each([
    ['a rewritten image', 'mirror.corp/hub/library/nginx:1', 'docker.io/library/nginx'],
    ['the mirror, written by hand', `mirror.corp/hub/evil/app@${digest}`, 'docker.io/evil/app'],
    ['another place at the mirror', 'mirror.corp/hubble/app:1', 'mirror.corp/hubble/app'],
  ])('of %s is that of its origin', (_, image, gun) => {
    expect(gunIn(image, rewriting)).toBe(gun);
    const named = signedName(image, rewriting);
    expect(named.kind === 'named' && named.pulled.registry).toBe('mirror.corp');
  });

  it('is none where several origins are possible', () => {
    const images = ['a.example/app', 'b.example/app'];
    const named = signedName('m.example/app', () => ({ kind: 'ambiguous', images }));
    expect(named).toMatchObject({ kind: 'bad', why: expect.stringContaining('a.example/app') });
  });

  it.each([
    [{ tag: undefined, digest: undefined }, 'latest'],
    [{ tag: '1.0', digest }, '1.0'],
    [{ tag: undefined, digest }, undefined],
  ])('has of %o the tag %s', (image, tag) => {
    expect(tagOf(image)).toBe(tag);
  });
});

describe('what a verdict holds for', () => {
  const verifier = {
    kind: 'notary',
    url: 'https://n',
    reach: 'internal',
    roles: usualRoles,
  } as const;
  const cosign = { kind: 'cosign', authorities: [] } as const;
  const pin = (prefix: string, id: string) => ({
    ...{ server: '', prefix, keyIds: [id], certificates: [] },
  });
  const trusting = (pins = [pin('r.example', 'k')], own: object = {}) =>
    settingsFixed({ imageTrust: { notary: { pins }, ...own } }).current().imageTrust;
  const filled = (text: string) => ({ hashOf: (path: string) => `${path}: ${text}` });
  const basis = {
    gun: 'r.example/app',
    pulledAs: undefined,
    owner: 'platform',
    settings: trusting(),
    files: filled('as it was'),
  } as const;
  const usual = trustText(verifier, basis);

  it.each<[string, Partial<typeof verifier> | object, object]>([
    ['another server', { url: 'https://o' }, {}],
    ['other roles', { roles: ['targets'] }, {}],
    ['another reach', { reach: 'public' }, {}],
    ['another name', {}, { gun: 'r.example/app2' }],
    ['another owner', {}, { owner: { namespace: 'team-a' } }],
    ['another pin', {}, { settings: trusting([pin('r.example', 'l')]) }],
    ['no pin', {}, { settings: trusting([]) }],
    [
      'configurations left out',
      {},
      { settings: trusting(undefined, { acceptConfigDigest: false }) },
    ],
  ])('is something else with %s', (_, other, more) => {
    expect(trustText({ ...verifier, ...other }, { ...basis, ...more })).not.toBe(usual);
  });

  it('is, of cosign, what the authorities are that the rule of a registry asks', () => {
    const authority = (name: string) => ({
      ...{ name, keyless: { issuer: 'i', identity: 'me' } },
    });
    const authorities = [authority('one'), authority('other')];
    const settings = trusting([], { cosign: { authorities } });
    const of = (...names: readonly string[]) =>
      trustText({ ...cosign, authorities: names }, { ...basis, settings });
    expect(new Set([of('none'), of('one'), of('other'), of('one', 'other')]).size).toBe(4);
    expect(of()).not.toBe(of('one'));
  });

  it('is, of cosign, from where the image is pulled too, since signatures lie there', () => {
    const mirrored = { ...basis, pulledAs: 'mirror.example/app' };
    expect(trustText(cosign, mirrored)).not.toBe(trustText(cosign, basis));
    expect(trustText(verifier, mirrored)).toBe(usual);
  });

  it('is, of cosign without keys, what stands in the files of trusted roots', () => {
    const keyless = { issuer: 'i', identity: 'me' };
    const authorities = [
      { name: 'public', keyless },
      { name: 'own', keyless: { ...keyless, trustedRoot: '/root.json' } },
    ];
    const settings = trusting([], { cosign: { authorities } });
    expect(trustFilesIn(settings)).toEqual(['', '/root.json']);
    const of = (name: string, text: string) =>
      trustText({ ...cosign, authorities: [name] }, { ...basis, settings, files: filled(text) });
    for (const name of ['public', 'own']) expect(of(name, 'one')).not.toBe(of(name, 'other'));
    expect(trustText(verifier, { ...basis, files: filled('other') })).toBe(usual);
  });

  it('is the same whatever pins there are for other names', () => {
    const settings = trusting([pin('r.example', 'k'), pin('other.example', 'x')]);
    expect(trustText(verifier, { ...basis, settings })).toBe(usual);
  });
});
