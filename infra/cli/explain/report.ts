import { rejectionOf } from '#shared/domain/image-trust/rejection.ts';
import type { Step } from '#shared/runtime/admission/fuse.ts';
import { tenths } from '#shared/runtime/tenths.ts';
import {
  toJson as imageToJson,
  toText as imageToText,
  type Judged,
  unheardLines,
} from '../image/report.ts';
import type { Unheard } from '../image/unheard.ts';
import type { Terminal } from '../output.ts';
import { diffLines, styleOf } from './diff.ts';
import type { Subject } from './manifests.ts';
import type { Absent, Trial } from './trial.ts';

export type Explained = {
  readonly subject: Subject;
  readonly namespace: string;
  /** Of the entries that are called, in that order. */
  readonly paths: readonly string[];
  readonly trial: Trial;
  readonly absent: readonly Absent[];
  /** What was assumed, since no cluster was asked. */
  readonly notes: readonly string[];
  /** Who vouches for them, where somebody was asked. */
  readonly images: readonly Judged[];
  /** Who was asked and did not answer. */
  readonly unheard: readonly Unheard[];
};

export function hasFailed({ trial }: Explained): boolean {
  return isRefused(trial) || trial.steps.some(({ answered }) => answered === 'failed');
}

/** What an entry has marked so, another one refuses. */
function isRefused({ verdict, object }: Trial): boolean {
  return verdict.kind === 'deny' || rejectionOf(object) !== undefined;
}

function reasonsOf({ verdict, object }: Trial): readonly string[] {
  return verdict.kind === 'deny' ? verdict.reasons : [rejectionOf(object) ?? []].flat();
}

/** For scripts. The shape is part of the product: keys are added, never changed. */
export function toJson(explained: Explained) {
  const { subject, namespace, paths, trial, absent, notes, images, unheard } = explained;
  const { verdict, steps, object, causes } = trial;
  return {
    subject: subject.title,
    namespace,
    entry: paths[0],
    entries: paths,
    admitted: !isRefused(trial),
    reasons: reasonsOf(trial),
    warnings: verdict.warnings ?? [],
    functions: [
      ...steps.map((step) => ({
        ...plainStep(step),
        ...(causes.has(step.function.name) ? { cause: causes.get(step.function.name) } : {}),
      })),
      ...absent.map(({ function: name, why }) => ({ function: name, outcome: 'not-asked', why })),
    ],
    notes,
    images: images.map(imageToJson),
    unheard,
    diff: linesBetween(explained),
    object,
  };
}

function plainStep({ function: { name, capability }, answered, why, verdict, changes, ms }: Step) {
  return {
    function: name,
    capability,
    outcome: answered,
    why,
    changes,
    warnings: verdict?.warnings ?? [],
    ms: tenths(ms),
  };
}

/** For people. */
export function toText(explained: Explained, paint: Terminal['paint']): string {
  const { subject, namespace, paths, trial, absent, notes, images, unheard } = explained;
  const place = subject.kind === 'Namespace' ? '' : ` in namespace ${namespace}`;
  const lines = [
    paint('bold', `${subject.title}, created${place}, at ${paths.join(', then ')}`),
    ...notes.map((note) => paint('dim', `  note: ${note}`)),
    ...trial.steps.flatMap((step) => stepLines(step, trial, paint)),
    ...absent.map(({ function: name, why }) => paint('dim', `- ${name} was not asked: ${why}`)),
    ...images.map((image) => imageToText(image, { paint }).trimEnd()),
    ...(unheard.length === 0 ? [] : [unheardLines(unheard).trimEnd()]),
    ...endLines(trial, paint),
    ...linesBetween(explained).map((line) => {
      const style = styleOf(line);
      return style === undefined ? line : paint(style, line);
    }),
  ];
  return `${lines.join('\n')}\n`;
}

function linesBetween({ subject, trial }: Explained): readonly string[] {
  const end = isRefused(trial) ? 'it is refused' : 'it is admitted';
  return diffLines(subject.object, trial.object, end);
}

function stepLines(step: Step, { causes }: Trial, paint: Terminal['paint']): readonly string[] {
  const { function: definition, changes } = step;
  const cause = causes.get(definition.name);
  return [
    headline(step, paint),
    ...(cause === undefined ? [] : [`    because: ${cause}`]),
    ...changes.flatMap(({ why, ...operation }) => [
      `    ${operation.op} ${operation.path}${'value' in operation ? ` ${JSON.stringify(operation.value)}` : ''}`,
      paint('dim', `        ${why}`),
    ]),
  ];
}

function headline(step: Step, paint: Terminal['paint']): string {
  const { name } = step.function;
  switch (step.answered) {
    case 'left-out':
      return paint('dim', `- ${name} was left out: ${step.why}`);
    case 'failed':
      return paint('red', `! ${name} failed: ${step.why}`);
    case 'deny':
      return paint('red', `! ${name} ran and denies it`);
    case 'allow':
      return paint('green', `+ ${name} ran and changes nothing`);
    case 'patch':
      return paint('green', `+ ${name} ran and makes ${counted(step.changes.length, 'change')}`);
  }
}

function endLines(trial: Trial, paint: Terminal['paint']): readonly string[] {
  const { verdict, steps } = trial;
  const changes = steps.flatMap((step) => step.changes).length;
  const end = isRefused(trial)
    ? paint('red', `denied: ${reasonsOf(trial).join('\n    ')}`)
    : paint('green', `admitted with ${counted(changes, 'change')}`);
  const warnings = (verdict.warnings ?? []).map((text) => paint('yellow', `warning: ${text}`));
  return ['', end, ...warnings, ...(changes === 0 ? [] : [''])];
}

function counted(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}
