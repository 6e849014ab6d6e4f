import { podMutationsContract } from './pod-mutations.ts';

podMutationsContract(10_000);
