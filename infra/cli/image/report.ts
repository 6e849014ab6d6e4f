import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { Terminal } from '../output.ts';

type Paint = Pick<Terminal, 'paint'>;

/** For scripts: whether it may run, may not, or cannot be said. */
export function exitOf({ kind }: Judgement): 0 | 1 | 2 {
  if (kind === 'untrusted') return 1;
  return kind === 'unavailable' ? 2 : 0;
}

export function toJson(image: string, judgement: Judgement): object {
  return { image, ...judgement };
}

export function toText(image: string, judgement: Judgement, { paint }: Paint): string {
  switch (judgement.kind) {
    case 'allowed':
      return `${paint('green', 'allowed')}  ${image}\n  needs no signature: ${judgement.entry} is on the list\n`;
    case 'untrusted':
      return `${paint('red', 'untrusted')}  ${image}\n  ${judgement.why}: ${judgement.note}\n`;
    case 'unavailable':
      return `${paint('yellow', 'unknown')}  ${image}\n  ${judgement.why}: ${judgement.note}\n`;
    case 'trusted':
      return `${paint('green', 'trusted')}  ${image}\n${trusted(judgement)}`;
  }
}

function trusted({ digest, by, until, remarks }: Extract<Judgement, { kind: 'trusted' }>): string {
  const lines = [
    ['digest', digest],
    ['signed as', by.name],
    [by.verifier, by.server],
    ...by.keys.map((key) => ['by', key]),
    ['until', until.toISOString().replace(/\.\d+Z$/, 'Z')],
    ...remarks.map((remark) => ['note', remark]),
  ];
  return lines.map(([label = '', value]) => `  ${label.padEnd(10)} ${value}\n`).join('');
}
