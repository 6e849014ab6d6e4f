import { podMutationsContract } from '#test/contracts/pod-mutations.ts';

podMutationsContract(100_000);
