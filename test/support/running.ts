import type { ObjectChanged } from '#events/kinds.ts';
import type { Uses } from '#shared/define.ts';
import { defineReconcile, type ReconcileFunction } from '#shared/define.ts';
import { configMaps } from '#shared/domain/kind.ts';
import type { Ports } from '#shared/ports.ts';
import type { Fields, Log } from '#shared/runtime/log.ts';

export type Line = { readonly level: string; readonly fields: Fields; readonly message: string };

/** Keeps what was logged, in order. */
export function logRecorded(): Log & { readonly lines: readonly Line[] } {
  const lines: Line[] = [];
  const write = (level: string) => (fields: Fields, message: string) => {
    lines.push({ level, fields, message });
  };
  return {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}

/** What the loop stands on, and what it counted and logged. */
export function running(ports: Partial<Ports> = {}) {
  const log = logRecorded();
  const counted: string[] = [];
  return {
    ports: ports as Ports,
    log,
    counted,
    meter: {
      reconciled: (name: string, outcome: string) => {
        counted.push(`${name}: ${outcome}`);
      },
      late: (name: string) => {
        counted.push(`${name}: late`);
      },
    },
  };
}

type Handler = ReconcileFunction['handler'];

export function reconcileBy(
  handler: Handler,
  stated: {
    readonly uses?: Uses;
    readonly deadlineMs?: number;
    readonly everySeconds?: number;
  } = {},
): ReconcileFunction {
  const { uses = [], deadlineMs = 1_000, everySeconds } = stated;
  return defineReconcile({
    name: 'follow-maps',
    capability: 'samples',
    trigger: { watch: { of: configMaps }, ...(everySeconds === undefined ? {} : { everySeconds }) },
    uses,
    deadlineMs,
    handler,
  });
}

export function mapChanged(changed: Partial<ObjectChanged> = {}): ObjectChanged {
  return {
    kind: 'object',
    cluster: 'default',
    group: '',
    resource: 'configmaps',
    namespace: 'team-a',
    name: 'one',
    uid: 'uid-1',
    deleted: false,
    ...changed,
  };
}
