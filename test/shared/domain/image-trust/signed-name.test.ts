import { describe, expect, it } from 'vitest';
import { gunOf } from '#shared/domain/image-trust/gun.ts';
import { type OriginOf, signedName, tagOf } from '#shared/domain/image-trust/signed-name.ts';
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
  const pins = [{ prefix: 'r.example', keyIds: ['k'], certificates: [] }];
  const basis = {
    ...{ verifier, pins, gun: 'r.example/app', acceptConfigDigest: true, authorities: [] },
    owner: 'platform',
  } as const;

  it.each<[string, object]>([
    ['another server', { verifier: { ...verifier, url: 'https://o' } }],
    ['other roles', { verifier: { ...verifier, roles: ['targets'] } }],
    ['another reach', { verifier: { ...verifier, reach: 'public' } }],
    ['another name', { gun: 'r.example/app2' }],
    ['another owner', { owner: { namespace: 'team-a' } }],
    ['another pin', { pins: [{ prefix: 'r.example', keyIds: ['l'], certificates: [] }] }],
    ['no pin', { pins: [] }],
    ['configurations left out', { acceptConfigDigest: false }],
  ])('is something else with %s', (_, more) => {
    expect(trustText({ ...basis, ...more })).not.toBe(trustText(basis));
  });

  it('is, of cosign, what the authorities are that the rule of a registry asks', () => {
    const of = (...authorities: readonly string[]) =>
      trustText({ ...basis, verifier: { kind: 'cosign', authorities: [] }, authorities });
    expect(new Set([of(), of('one'), of('other'), of('one', 'other')]).size).toBe(4);
  });

  it('is the same whatever pins there are for other names', () => {
    const more = [...pins, { prefix: 'other.example', keyIds: ['x'], certificates: [] }];
    expect(trustText({ ...basis, pins: more })).toBe(trustText(basis));
  });
});
