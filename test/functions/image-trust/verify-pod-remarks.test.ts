import { describe, expect, it } from 'vitest';
import type { Remark } from '#shared/domain/image-trust/remark.ts';
import { good, type JudgeStated, trusted } from '#test/support/image-trust/judge-stated.ts';
import { marked, signed, status } from '#test/support/image-trust/verifying.ts';

const saying = (...remarks: readonly Remark[]): JudgeStated => ({
  ...signed(),
  judge: async (images) =>
    images.map((image) => ({ image, judgement: trusted(image, good, { remarks }) })),
});

describe('verify-pod, of a signed image that something is to be said of', () => {
  it.each<[Remark, string, object]>([
    [
      'expiring',
      'a.io/web:1: what proves it expires soon, and has to be signed anew',
      { 'verify-pod.images-expiring': '1' },
    ],
    [
      'config-digest',
      "a.io/web:1: signed is its configuration's digest, which is deprecated",
      { 'verify-pod.images-by-config-digest': '1' },
    ],
    [
      'first-use',
      'a.io/web:1: its root at https://notary.example was seen for the first time and trusted',
      {},
    ],
  ])('warns, counts it, and lets it in: %s', async (remark, warning, audit) => {
    const { metadata, answer } = await marked({ judge: saying(remark) });
    expect(metadata).toMatchObject({ labels: { [status]: 'success' } });
    expect(answer).toMatchObject({ warnings: [warning] });
    expect(answer.audit).toEqual(audit);
  });
});
