import type { JsonObject } from '#shared/domain/json.ts';
import { inside, objects } from '../../access/stated.ts';
import type { Admitting } from '../../parts.ts';
import { isPod, withSpec } from './step.ts';

const taints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** A pod bears a node that is lost for five minutes, unless it says something of that itself. */
export function defaultTolerations(what: Admitting): JsonObject | undefined {
  const { object, operation } = what;
  if (!isPod(what) || object === undefined || operation === 'DELETE') return undefined;
  const stated = objects(inside(object['spec'])['tolerations']);
  const added = taints
    .filter((key) => !stated.some((toleration) => bears(toleration, key)))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  return added.length === 0 ? undefined : withSpec(object, { tolerations: [...stated, ...added] });
}

function bears({ key, effect }: JsonObject, taint: string): boolean {
  const isKey = key === taint || key === undefined || key === '';
  return isKey && (effect === 'NoExecute' || effect === undefined || effect === '');
}
