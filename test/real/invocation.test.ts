import { inject } from 'vitest';
import { builtInSources } from '#infra/build.ts';
import { invocationContract } from '#test/contracts/end-to-end/invocation.ts';

await invocationContract(
  'a real kube-apiserver',
  inject('kube').kubeconfig,
  await builtInSources(),
);
