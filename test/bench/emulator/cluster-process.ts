// The emulated cluster alone, in a process of its own: says where it is on a line, and ends with its input.
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';

const [directory = ''] = process.argv.slice(2);
const cluster = await emulatedCluster({ directory });
process.stdout.write(`${JSON.stringify({ kubeconfig: cluster.tokenKubeconfig })}\n`);
process.stdin.resume().on('end', () => process.exit());
