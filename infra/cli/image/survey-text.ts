import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import { remarkText } from '#shared/domain/image-trust/remark.ts';
import type { Terminal } from '../output.ts';
import { plain, table } from '../queue/table.ts';
import { exitOf, standing, whyNot } from './report.ts';
import type { Column, Row, Survey } from './survey.ts';

type Paint = Pick<Terminal, 'paint'>;

/** By what stands last: the rules in force, or the one verifier that was asked about. */
export function surveyExit({ rows, isCut }: Survey): 0 | 1 | 2 {
  const exits = rows
    .map(({ judgements }) => judgements.at(-1)?.[1])
    .map((last) => last && exitOf(last));
  if (exits.includes(1)) return 1;
  return exits.includes(2) || isCut ? 2 : 0;
}

/** For scripts. The shape is part of the product: keys are added, never changed. */
export function surveyJson({ rows, notAsked, isCut }: Survey): object {
  const images = rows.map(({ judgements, ...row }) => ({
    ...row,
    by: Object.fromEntries(judgements),
  }));
  return { images, notAsked, complete: !isCut };
}

export function surveyText({ rows }: Survey, terminal: Paint): string {
  const [first] = rows;
  if (first === undefined) return 'there are no images\n';
  const columns = first.judgements.map(([column]) => column);
  const heads = ['PODS', ...columns.map((column) => titleOf(column).toUpperCase()), 'IMAGE'];
  const cells = ({ image, pods, judgements }: Row) => [
    pods === 0 ? '-' : String(pods),
    ...judgements.map(([, judgement]) => standing(judgement, terminal)),
    plain(image),
  ];
  const reasons = rows.flatMap(reasonsOf);
  return [
    table(heads, rows.map(cells), terminal.paint),
    ...(reasons.length === 0 ? [] : ['\n', ...reasons]),
    `\n${summary(rows, columns)}\n`,
  ].join('');
}

function titleOf(column: Column): string {
  return column === 'rules' ? 'in force' : column;
}

function reasonsOf({ image, namespaces, judgements }: Row): readonly string[] {
  const reasons = judgements.map(([column, judgement]) => ({ column, why: remarkOn(judgement) }));
  const lines = reasons
    // The rules mostly say what one of the verifiers has said already.
    .filter(({ why }, at) => why !== '' && reasons.findIndex((each) => each.why === why) === at)
    .map(({ column, why }) => `  ${titleOf(column).padEnd(8)}  ${plain(why)}\n`);
  if (lines.length === 0) return [];
  const places = namespaces.length === 0 ? '' : ` (${namespaces.join(', ')})`;
  return [`${plain(image)}${places}\n`, ...lines];
}

function remarkOn(judgement: Judgement): string {
  switch (judgement.kind) {
    case 'allowed':
      return '';
    case 'trusted':
      return judgement.remarks.map((each) => remarkText(each, judgement.by)).join('; ');
    case 'untrusted':
    case 'unavailable':
      return whyNot(judgement);
  }
}

function summary(rows: readonly Row[], columns: readonly Column[]): string {
  const said = columns.map((column, at) => {
    const good = rows.filter(({ judgements }) => isGood(judgements[at]?.[1])).length;
    return `${titleOf(column)}: ${good}`;
  });
  return `of ${rows.length} images may run, ${said.join(', ')}`;
}

function isGood(judgement: Judgement | undefined): boolean {
  return judgement !== undefined && exitOf(judgement) === 0;
}
