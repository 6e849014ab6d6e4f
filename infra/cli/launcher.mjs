#!/usr/bin/env node
// Plain JavaScript for whatever Node the system has: Gatehouse itself runs on the Node that came with it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const needed = 24;

if (Number.parseInt(process.versions.node, 10) >= needed) {
  const cache = fileURLToPath(new URL('./.compile-cache', import.meta.url));
  if (existsSync(cache)) module.enableCompileCache(cache);
  await import('./cli/main.js');
} else {
  runOn(packagedNode());
}

function packagedNode() {
  try {
    const name = `node-${process.platform}-${process.arch}`;
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), 'bin', 'node');
  } catch {
    console.error(
      `gatehouse: it needs Node ${needed} or newer, and this is ${process.version}\n` +
        `  to mend it: install Node ${needed}, or install gatehouse without --omit=optional`,
    );
    process.exit(1);
  }
}

function runOn(node) {
  const [, ...args] = process.argv;
  const child = spawn(node, [...process.execArgv, ...args], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // A terminal's ^C reaches both of us; twice would be understood as haste.
    const isHeard = signal === 'SIGINT' && process.stdin.isTTY;
    process.on(signal, () => isHeard || child.kill(signal));
  }
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal === 'SIGINT' ? 2 : 15);
  });
}
