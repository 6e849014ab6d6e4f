import type { Generation } from '#shared/domain/pod-bootstrap/housekeeping/generation.ts';
import type { Terminal } from '../output.ts';
import { plain, table } from '../queue/table.ts';
import type { Status } from './read-status.ts';

type Paint = Terminal['paint'];

export function statusText(
  { configuration, bundle, hindered, pods }: Status,
  paint: Paint,
): string {
  const lines = [
    `configuration ${short(configuration)}`,
    ...(bundle === undefined ? [] : [`trust bundle ${bundle.name}: ${short(bundle.is)}`]),
    ...(hindered === undefined ? [] : [`pods are not restarted: ${hindered}`]),
  ];
  const head = lines.map((line) => `${line}\n`).join('');
  if (pods.length === 0) return `${head}there are no pods\n`;
  const heads = ['NAMESPACE', 'POD', 'CONFIGURATION', 'BUNDLE', 'STATE', 'NOT RESTARTED'];
  return (
    head +
    table(
      heads,
      pods.map((each) => rowOf(each, paint)),
      paint,
    )
  );
}

function rowOf(each: Generation, paint: Paint): readonly string[] {
  const isGood = each.states.includes('current');
  return [
    plain(each.namespace),
    plain(each.pod),
    `${plain(short(each.configuration ?? '-'))}${each.configuration === undefined || each.isCurrent ? '' : ' (older)'}`,
    plain(short(each.bundle ?? '-')),
    paint(isGood ? 'green' : 'red', each.states.join(', ')),
    each.excuse ?? '-',
  ];
}

/** Enough to tell two apart. */
function short(hash: string): string {
  return hash.slice(0, 12);
}
