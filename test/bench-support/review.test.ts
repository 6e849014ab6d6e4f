import { describe, expect, it } from 'vitest';
import { findOwnParts } from '#shared/runtime/admission/own-parts.ts';
import { ordinaryReview } from '#test/bench/bootstrap/ordinary.ts';
import { largeReview } from '#test/bench/bootstrap/review.ts';
import { requestOf } from '#test/bench/support/request.ts';
import { placeholderUid, podReview } from '#test/bench/support/review.ts';

describe('the review that benches send', () => {
  it('has 4.6 KB, and a new uid of the same length each time', () => {
    const request = requestOf(podReview(), { host: 'h', path: '/p', timeoutSeconds: 5 });
    const before = request.bytes.length;
    const uid = request.renew(255);
    const [head = '', body = ''] = request.bytes.toString('utf8').split('\r\n\r\n');
    expect(uid).toHaveLength(placeholderUid.length);
    expect(JSON.parse(body).request.uid).toBe(uid);
    expect(request.bytes).toHaveLength(before);
    expect(head).toContain('POST /p?timeout=5s HTTP/1.1');
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
    expect(Buffer.byteLength(body) / 1_000).toBeCloseTo(4.6, 0);
  });

  it('is of another pod each time, and of another template each so many times', () => {
    const { bytes, renew } = requestOf(
      podReview(),
      { host: 'h', path: '/p', timeoutSeconds: 5 },
      3,
    );
    const pods = Array.from({ length: 6 }, (_, count) => {
      renew(count + 1e9);
      return JSON.parse(bytes.toString('utf8').split('\r\n\r\n')[1] ?? '').request.object;
    });
    const distinct = (of: (pod: (typeof pods)[number]) => string) => new Set(pods.map(of)).size;

    expect(distinct(({ spec }) => spec.volumes[1].name)).toBe(6);
    expect(distinct(({ metadata }) => metadata.managedFields[0].time)).toBe(6);
    expect(distinct(({ metadata }) => metadata.ownerReferences[0].uid)).toBe(3);
    expect(distinct(({ metadata }) => metadata.generateName)).toBe(3);
    for (const { spec } of pods) {
      expect(spec.containers[0].volumeMounts[1].name).toBe(spec.volumes[1].name);
    }
  });

  it.each([
    ['small', podReview()],
    ['large', largeReview()],
    ['ordinary', ordinaryReview()],
  ])('is as an API server writes it, so that the %s pod has twins', (_, review) => {
    const kinds = findOwnParts(Buffer.from(review))?.map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['uid', 'written-at', 'token-volume']));
  });
});
