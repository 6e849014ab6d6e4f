import { describe, expect, it } from 'vitest';
import { answering } from '#shared/domain/image-trust/cosign/authority.ts';
import { type Claim, flawOfClaim } from '#shared/domain/image-trust/cosign/claim.ts';
import { canBeProof, signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import { authorityOf } from '#test/support/cosign/signed-registry.ts';
import { keySigner } from '#test/support/cosign/signing.ts';

const digest = `sha256:${'a'.repeat(64)}` as const;
const image = { registry: 'docker.io', repository: 'library/nginx', tag: '1.0' };
const claim: Claim = { digest, name: 'index.docker.io/library/nginx', annotations: {} };
const terms = { annotations: {}, signedName: 'if-stated' } as const;
const { pem } = keySigner();

describe('a claim', () => {
  it.each<[string, Partial<Claim>, string | undefined]>([
    ['of the image, by the name that cosign writes', {}, undefined],
    ['of the same image by its short name', { name: 'nginx' }, undefined],
    ['of the very tag', { name: 'nginx:1.0' }, undefined],
    ['of another tag', { name: 'nginx:2.0' }, 'other-name'],
    ['of another digest by name', { name: `nginx@sha256:${'b'.repeat(64)}` }, 'other-name'],
    ['of another registry', { name: 'quay.io/library/nginx' }, 'other-name'],
    ['of a repository below', { name: 'nginx/evil' }, 'other-name'],
    ['of another digest', { digest: `sha256:${'b'.repeat(64)}` }, 'other-digest'],
    ['of a digest in other letters', { digest: digest.toUpperCase() }, 'other-digest'],
  ])('%s', (_, more, expected) => {
    expect(flawOfClaim({ ...claim, ...more }, { image, digest }, terms)).toBe(expected);
  });

  it('is not complete by what every object has', () => {
    const asked = { ...terms, annotations: { constructor: 'x' } };
    expect(flawOfClaim(claim, { image, digest }, asked)).toBe('annotations');
  });
});

describe('the layout', () => {
  it('names the tag of signatures by the digest', () => {
    expect(signatureTag(digest)).toBe(`sha256-${'a'.repeat(64)}.sig`);
  });

  it.each<[string, string | undefined, string | undefined, boolean]>([
    ['a bundle', 'application/vnd.dev.sigstore.bundle.v0.3+json', undefined, true],
    ['an older bundle', 'application/vnd.dev.sigstore.bundle+json;version=0.2', undefined, true],
    ['an attestation', 'application/vnd.dev.sigstore.bundle.v0.3+json', 'https://x.test', false],
    ['an SBOM', 'application/spdx+json', undefined, false],
    ['what states nothing', undefined, undefined, true],
    ['what only begins so', 'application/vnd.dev.sigstore.bundle.v0.3+json.evil', undefined, false],
  ])('reads %s or not', (_, artifactType, predicate, expected) => {
    const annotations: Record<string, string> =
      predicate === undefined ? {} : { 'dev.sigstore.bundle.predicateType': predicate };
    expect(canBeProof({ artifactType, annotations })).toBe(expected);
  });
});

describe('an authority answers', () => {
  it.each<[string, readonly string[], boolean]>([
    ['for all where it names none', [], true],
    ['for a registry', ['docker.io'], true],
    ['for a repository', ['docker.io/library/nginx'], true],
    ['not for what begins the same', ['docker.io/lib'], false],
    ['not for another registry', ['docker.io.evil.test'], false],
    ['not by an empty prefix', [''], false],
    ['with a slash at the end', ['docker.io/library/'], true],
    ['however its host is written', ['Docker.IO/library'], true],
    ['with the port that it has anyway', ['docker.io:443/library'], true],
    ['not by a path in another case', ['docker.io/Library'], false],
  ])('%s', (_, prefixes, expected) => {
    const found = answering(image, [authorityOf({ keys: [pem], prefixes })]);
    expect(found.length === 1).toBe(expected);
  });
});
