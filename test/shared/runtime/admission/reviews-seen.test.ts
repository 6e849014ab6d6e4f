import { expect, it } from 'vitest';
import { reviewsOf } from '#shared/runtime/admission/reviews-seen.ts';

it('a line of a review has its time to a tenth of a millisecond', () => {
  const review = { operation: 'CREATE', namespace: 'a', object: { metadata: { name: 'b' } } };
  const asked = { resource: { group: '', resource: 'pods' }, review };
  const step = { function: { name: 'f' }, answered: 'allow', why: '', ms: 0.123456 };
  const seen = { asked, steps: [step] } as never;
  expect(reviewsOf(seen, 'blue', new Date(0))).toMatchObject([{ ms: 0.1 }]);
});
