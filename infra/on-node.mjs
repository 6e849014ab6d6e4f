// Runs a script on the Node that came with the project. npm 9 and 10 lose its `node_modules/.bin/node` when they drop
// the package of the other architecture, so the scripts do not rely on it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname ?? new URL('..', import.meta.url).pathname, '..');
const folder = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
const isOurs = existsSync(join(folder, 'node'));
if (!isOurs && Number.parseInt(process.versions.node, 10) < 24) {
  console.error(
    `gatehouse: it needs Node 24, and this is ${process.version}\n` +
      '  to mend it: npm ci (without --omit=optional), or install Node 24',
  );
  process.exit(1);
}

const [, , script, ...args] = process.argv;
const node = isOurs ? join(folder, 'node') : process.execPath;
// A start makes much garbage at once: with room for it, it is collected less often.
const startingQuickly = [
  '--min-semi-space-size=16',
  '--import',
  join(root, 'infra/own-imports.mjs'),
];
const quickly = script.endsWith('.ts') ? startingQuickly : [];
const child = spawn(node, [...quickly, script, ...args], {
  stdio: 'inherit',
  env: {
    // Stripped of its types and compiled once: a start is a third of what it is without.
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/gatehouse'),
    ...process.env,
    PATH: `${folder}${delimiter}${process.env.PATH ?? ''}`,
  },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  // A terminal's ^C reaches both of us; twice would be understood as haste.
  const isHeard = signal === 'SIGINT' && process.stdin.isTTY;
  process.on(signal, () => isHeard || child.kill(signal));
}
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + (signal === 'SIGINT' ? 2 : 15);
});
