import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Line, Scope } from '#shared/domain/watched.ts';
import { isSelected } from './pages.ts';
import type { ClusterState, Written } from './state.ts';
import { seenRevision } from './state.ts';

type ChangeLine = Extract<Line, { readonly kind: 'change' }>;

/** What a write is to somebody who watches: to a selector, leaving its sight is a deletion. */
export function lineOf(written: Written, scope: Scope): ChangeLine | undefined {
  const { resource, before, after, revision } = written;
  if (resource !== scope.kind.resource) return undefined;
  const was = before !== undefined && isSelected(before, scope);
  const is = after !== undefined && isSelected(after, scope);
  if (is) return { kind: 'change', type: was ? 'MODIFIED' : 'ADDED', object: after };
  return was ? { kind: 'change', type: 'DELETED', object: atVersion(before, revision) } : undefined;
}

function atVersion(object: KubeObject, revision: number): KubeObject {
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  return { ...object, metadata };
}

export type Position = { readonly scope: Scope; readonly from: number };

/** Is there a line for whoever has seen so much? Looked at from the end: it is asked at each step. */
export function hasLine(state: ClusterState, { scope, from }: Position): boolean {
  const seen = seenRevision(state);
  for (let at = state.log.length - 1; at >= 0; at -= 1) {
    const written = state.log[at];
    if (written === undefined || written.revision <= from) return false;
    if (written.revision <= seen && lineOf(written, scope) !== undefined) return true;
  }
  return false;
}

/** The next ones, and how far they reach. */
export function linesAfter(
  state: ClusterState,
  { scope, from }: Position,
  max: number,
): { readonly lines: readonly Line[]; readonly to: number } {
  const seen = seenRevision(state);
  const lines: Line[] = [];
  let to = from;
  for (const written of state.log) {
    if (written.revision <= from || written.revision > seen) continue;
    if (lines.length >= max) break;
    const line = lineOf(written, scope);
    if (line !== undefined) lines.push(line);
    to = written.revision;
  }
  return { lines, to };
}
