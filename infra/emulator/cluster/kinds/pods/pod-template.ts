import type { KindRules } from '../kind-rules.ts';
import { ensured } from '../words/edit.ts';
import { child } from '../words/place.ts';
import { checkedTemplate } from '../workloads/template.ts';
import { podTemplate } from './pod-defaults.ts';
import { templateWarnings } from './pod-warnings.ts';

export const podTemplates: KindRules = {
  defaults: ensured('template', podTemplate),
  counts: ['template'],
  checks: (at) => checkedTemplate(child(at, 'template')),
  warnings: (next, before) => templateWarnings(next, before, ['template']),
};
