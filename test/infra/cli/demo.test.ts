import { expect, it } from 'vitest';
import { lastWords } from '#infra/cli/demo.ts';

it.each([
  ['how to look at what it leaves', true, /^look around: export KUBECONFIG=\/state\/kubeconfig$/],
  ['that nothing is left, and how to keep it', false, /is removed again; .*demo --keep leaves it/],
])('gatehouse demo says at its end %s', (_, keep, words) => {
  expect(lastWords(keep, '/state/kubeconfig')).toMatch(words);
});
