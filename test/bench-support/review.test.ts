import { describe, expect, it } from 'vitest';
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
});
