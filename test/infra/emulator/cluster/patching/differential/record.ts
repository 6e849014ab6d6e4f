import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { startKube } from '#test/real/kube/start.ts';
import { judged } from './against-server.ts';
import { kinds } from './kinds.ts';
import { withNamespace } from './place.ts';
import { recording } from './recorded.ts';
import { scenarios } from './scenarios.ts';

/** `node test/infra/emulator/cluster/patching/differential/record.ts`: asks a real server anew for all that is recorded. */
const kube = await startKube();
try {
  const { server, namespace } = await withNamespace(kube, 'recorded');
  const lives = [];
  for (const [index, [title, name, steps]] of scenarios.entries()) {
    const kind = kinds.find((each) => each.kind === name);
    if (kind === undefined) throw new Error(`no kind ${name}`);
    const deeds = await judged({ server, namespace, kind, name: `o${index}` }, steps);
    for (const { verdict } of deeds) {
      if (verdict.kind === 'different') throw new Error(`${title}: ${JSON.stringify(verdict)}`);
    }
    lives.push({ title, name: `o${index}`, kind: name, deeds });
  }
  writeFileSync(recording, brotliCompressSync(JSON.stringify(lives)));
  console.log(`${scenarios.length} recorded, ${readFileSync(recording).length} bytes`);
  server.close();
} finally {
  await kube.stop();
}
