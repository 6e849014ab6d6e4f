import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import { modeLabel } from '#shared/domain/image-trust/label-keys.ts';
import { modeOf, namespaceTrust } from '#shared/domain/image-trust/namespace-trust.ts';
import type { NamespaceTrust } from '#shared/domain/image-trust/rules.ts';
import type { ImageTrustSettings } from '#shared/domain/image-trust/settings.ts';
import {
  type VerifierKind,
  verifierKinds,
  wordsFor,
} from '#shared/domain/image-trust/verifiers.ts';
import { weigh } from '#shared/domain/image-trust/weigh.ts';
import type { Namespace } from '#shared/domain/namespace.ts';
import type { ImageJudge } from '#shared/ports.ts';
import type { Question } from './questions.ts';

/** One verifier alone, or the rules that are in force. */
export type Column = VerifierKind | 'rules';

export type Row = {
  readonly image: string;
  readonly namespaces: readonly string[];
  readonly pods: number;
  readonly judgements: readonly (readonly [Column, Judgement])[];
};

export type Surveying = {
  readonly judge: ImageJudge;
  readonly settings: ImageTrustSettings;
  readonly columns: readonly [Column, ...Column[]];
  readonly signal: AbortSignal;
  readonly onAnswered: (count: number) => void;
};

/** Those that could vouch, as they are configured. */
export function columnsIn(settings: ImageTrustSettings): readonly [Column, ...Column[]] {
  const others = verifierKinds.filter((kind) => wordsFor(kind).isConfigured(settings));
  const [first, ...rest] = [...others, 'rules' as const];
  return first === undefined ? ['rules'] : [first, ...rest];
}

/** Registries and Notaries of a whole cluster are asked: not all at once. */
const mostAtOnce = 8;

export type Survey = {
  /** Those that say the same of one image are one. */
  readonly rows: readonly Row[];
  /** How many questions were left when the signal came. */
  readonly notAsked: number;
  /** The signal came; it may have come before all that runs was found. */
  readonly isCut: boolean;
};

export async function survey(
  questions: readonly Question[],
  surveying: Surveying,
): Promise<Survey> {
  const { signal, onAnswered } = surveying;
  const waiting = questions.values();
  const rows: Row[] = [];
  const worker = async () => {
    for (const question of waiting) {
      const row = await answered(question, surveying);
      if (signal.aborted) return;
      rows.push(row);
      onAnswered(rows.length);
    }
  };
  await Promise.all(Array.from({ length: mostAtOnce }, worker));
  return { rows: joined(rows), notAsked: questions.length - rows.length, isCut: signal.aborted };
}

async function answered(question: Question, surveying: Surveying): Promise<Row> {
  const { image, namespace, pods } = question;
  const judgements = await Promise.all(
    surveying.columns.map(
      async (column) => [column, await judged(column, question, surveying)] as const,
    ),
  );
  return { image, namespaces: namespace.name === '' ? [] : [namespace.name], pods, judgements };
}

async function judged(
  column: Column,
  { image, namespace, pod }: Question,
  { judge, settings, signal }: Surveying,
): Promise<Judgement> {
  const trust = trustBy(column, namespace, settings);
  if (trust.kind === 'off') throw new Error('every namespace here is judged');
  const { findings } = await weigh([image], trust, (rules) =>
    judge.judge([image], { rules, pod, isDryRun: false, signal }),
  );
  const [finding] = findings;
  if (finding === undefined) throw new Error('nothing was found out');
  return finding.judgement;
}

/** Where nothing is verified yet, as if the platform's rules held. */
function trustBy(
  column: Column,
  namespace: Namespace,
  settings: ImageTrustSettings,
): NamespaceTrust {
  const isOff = modeOf(namespace.labels) === undefined;
  const asked = isOff ? { ...namespace, labels: { [modeLabel]: 'system' } } : namespace;
  if (column === 'rules') return namespaceTrust(asked, settings);
  const alone = { verifiers: [column], need: 'either' as const, namespaces: [], registries: [] };
  return namespaceTrust(asked, { ...settings, ...alone });
}

function joined(rows: readonly Row[]): readonly Row[] {
  const byContent = new Map<string, Row>();
  for (const row of rows) {
    const key = JSON.stringify([row.image, row.judgements.map(([, each]) => told(each))]);
    const known = byContent.get(key) ?? { ...row, namespaces: [], pods: 0 };
    const namespaces = [...new Set([...known.namespaces, ...row.namespaces])].toSorted();
    byContent.set(key, { ...known, namespaces, pods: known.pods + row.pods });
  }
  return [...byContent.entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row]) => row);
}

/** What people are told of it: not when it was found out. */
function told(judgement: Judgement): readonly string[] {
  switch (judgement.kind) {
    case 'trusted':
      return ['trusted', judgement.digest, judgement.by.server];
    case 'allowed':
      return ['allowed', judgement.entry];
    case 'untrusted':
    case 'unavailable':
      return [judgement.kind, judgement.why, judgement.note];
  }
}
