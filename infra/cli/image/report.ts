import type { Finding, Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { AskedVouching } from '#shared/domain/image-trust/registry-rules.ts';
import { remarkText } from '#shared/domain/image-trust/remark.ts';
import { type Verifier, wordsFor } from '#shared/domain/image-trust/verifiers.ts';
import type { Terminal } from '../output.ts';
import { type Unheard, unheardText } from './unheard.ts';

type Paint = Pick<Terminal, 'paint'>;

/** For scripts: whether it may run, may not, or cannot be said. */
export function exitOf({ kind }: Judgement): 0 | 1 | 2 {
  if (kind === 'untrusted') return 1;
  return kind === 'unavailable' ? 2 : 0;
}

/** A judgement, and who was asked for it. */
export type Judged = Finding & { readonly asked: AskedVouching | undefined };

export function toJson({ image, judgement, asked }: Judged): object {
  return { image, ...judgement, ...(asked && { asked: plainly(asked) }) };
}

/** Names alone: what else a verifier is made of stands in the settings. */
function plainly({ verifiers, need, prefix }: AskedVouching): object {
  return { verifiers: verifiers.map(nameOf), need, ...(prefix !== undefined && { rule: prefix }) };
}

/** `trusted`, `untrusted`, `allowed`, `unknown` */
export function standing({ kind }: Judgement, { paint }: Paint): string {
  switch (kind) {
    case 'allowed':
    case 'trusted':
      return paint('green', kind);
    case 'untrusted':
      return paint('red', kind);
    case 'unavailable':
      return paint('yellow', 'unknown');
  }
}

export function toText({ image, judgement, asked }: Judged, terminal: Paint): string {
  const lines = [
    ...linesOf(judgement),
    ...(asked === undefined ? [] : [line('asked', who(asked))]),
  ];
  return `${standing(judgement, terminal)}  ${image}\n${lines.map((each) => `  ${each}\n`).join('')}`;
}

/** Below the images, indented as they are. */
export function unheardLines(unheard: readonly Unheard[]): string {
  return unheard.map((each) => `  ${line('not heard', unheardText(each))}\n`).join('');
}

function linesOf(judgement: Judgement): readonly string[] {
  switch (judgement.kind) {
    case 'allowed':
      return [`needs no signature: ${judgement.entry} is on the list`];
    case 'untrusted':
    case 'unavailable':
      return [whyNot(judgement)];
    case 'trusted':
      return trusted(judgement);
  }
}

export function whyNot({ why, note }: Exclude<Judgement, { kind: 'allowed' | 'trusted' }>): string {
  return `${why}: ${note}`;
}

/** `all of notary, cosign (release), by the rule of registry.example/team` */
function who({ verifiers, need, prefix }: AskedVouching): string {
  const names = verifiers.map(nameOf).join(', ');
  const several = verifiers.length > 1 ? `${need} of ${names}` : names;
  return prefix === undefined ? several : `${several}, by the rule of ${prefix}`;
}

function nameOf(verifier: Verifier): string {
  const { kind } = verifier;
  const detail = wordsFor(kind).detailOf(verifier);
  return detail === '' ? kind : `${kind} (${detail})`;
}

function trusted({
  digest,
  by,
  until,
  remarks,
}: Extract<Judgement, { kind: 'trusted' }>): readonly string[] {
  return [
    ['digest', digest],
    ['signed as', by.name],
    [by.verifier, by.server],
    ...by.keys.map((key) => ['by', key]),
    ['until', until.toISOString().replace(/\.\d+Z$/, 'Z')],
    ...remarks.map((remark) => ['note', remarkText(remark, by)]),
  ].map(([label = '', value = '']) => line(label, value));
}

export function line(label: string, value: string): string {
  return `${label.padEnd(10)} ${value}`;
}
