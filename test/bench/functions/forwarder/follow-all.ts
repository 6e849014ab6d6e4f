import { openSync, writeSync } from 'node:fs';
import { defineReconcile, type Watch } from '#shared/define.ts';
import { done } from '#shared/domain/outcome.ts';
import { kinds } from '../../forwarder/kinds.ts';

const file = process.env['BENCH_RUNS'];
const runs = file === undefined ? undefined : openSync(file, 'a');
const watch: readonly Watch[] = kinds.map((of) => ({ of }));

// biome-ignore lint/style/noDefaultExport: a function file
export default defineReconcile({
  name: 'follow-all',
  capability: 'bench',
  trigger: { watch },
  uses: [],
  deadlineMs: 10_000,
  handler(wake) {
    // The same clock in all processes of a machine.
    const at = (Number(process.hrtime.bigint()) / 1e6).toFixed(3);
    if (wake.kind !== 'object' || runs === undefined) return done;
    writeSync(runs, `${['follow-all', wake.uid, 'changed', '', '', '', at, at].join('\t')}\n`);
    return done;
  },
});
