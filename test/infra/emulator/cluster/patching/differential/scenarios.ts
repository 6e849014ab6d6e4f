import { applying } from './scenarios/applying.ts';
import { custom } from './scenarios/custom.ts';
import { merging } from './scenarios/merging.ts';
import { owning } from './scenarios/owning.ts';
import type { Scenario } from './scenarios/steps.ts';

export const scenarios: readonly Scenario[] = [...applying, ...owning, ...merging, ...custom];
